"""A small finished run made by code: two documents, questions of every kind, three methods, traces, ledgers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pymupdf

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.documents import DocumentRow, save_sheet
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.documents.content import PageInfo, Region
from cosee.artifacts.documents.doctree import DocTree, Node, TreeQuality
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.prediction import Prediction, Retrieved, Support, Usage
from cosee.artifacts.results.trace import Trace

RUN, DATASET = "trial", "small"
METHODS = ("constant", "page_rag", "cosee")
HOSTILE = "<script>alert('x')</script> & \"quotes\""

QUESTIONS = [
    Question(question_id="q01", doc_id="alpha", question="How many ships were built?", answer="1,204",
             answer_format="Int", evidence_pages=[1], source_dataset="harbour"),
    Question(question_id="q02", doc_id="alpha", question="Which port is the oldest?", answer="Lindholm Quay",
             answer_format="Str", evidence_pages=[1, 2], source_dataset="harbour"),
    Question(question_id="q03", doc_id="alpha", question="What was the mayor's phone number?", answer=NOT_ANSWERABLE,
             answer_format="None", source_dataset="harbour"),
    Question(question_id="q04", doc_id="alpha", question="Is the quay lit at night?", answer="Yes",
             answer_format="Bool", evidence_pages=[2], source_dataset="tides"),
    Question(question_id="q05", doc_id="beta", question="Which colours has the flag?", answer=["blue", "white"],
             answer_format="List", evidence_pages=[1, 2], evidence_mode="any", source_dataset="tides"),
    Question(question_id="q06", doc_id="beta", question=f"What share of cargo is grain? {HOSTILE}", answer="25%",
             answer_format="Float", evidence_pages=[2], source_dataset="tides"),
    Question(question_id="q07/../..%2f", doc_id="beta", question="Why was the lock rebuilt?",
             answer="It was rebuilt in 1931 because the gates leaked at spring tide.", answer_format="FreeText",
             evidence_pages=[2], source_dataset="tides"),
    Question(question_id="q08", doc_id="beta", question="A question without a gold answer?", source_dataset="tides"),
]  # fmt: skip


def make_run(root: Path) -> None:
    """Write ``data``, ``indexes`` and ``results`` below ``root``; document ``gamma`` is a failed one."""
    data = root / "data" / DATASET
    for doc_id in ("alpha", "beta"):
        make_pdf(data / doc_id / "full.pdf", doc_id)
        make_tree(doc_id).save(data / doc_id / "doctree.mm.json")
    files.write_bytes(data / "gamma" / "full.pdf", b"this is no PDF")
    save_sheet(
        data / "documents.tsv",
        [
            DocumentRow(doc_id=doc_id, sha256=files.sha256_file(data / doc_id / "full.pdf"), pages=pages, shard="0000")
            for doc_id, pages in (("alpha", 2), ("beta", 2), ("gamma", 0))
        ],
    )
    save_rows(data / "qa" / "questions.jsonl", QUESTIONS)
    for stage in ("adapt", "enhance", "build"):
        failed = LedgerRow(doc_id="gamma", status="failed" if stage == "adapt" else "skipped",
                           reason="not_a_pdf",
                           message=f"no PDF header {HOSTILE}")  # fmt: skip
        rows = [LedgerRow(doc_id=doc_id, status="ok") for doc_id in ("alpha", "beta")]
        save_rows(data / ".ledger" / f"{stage}.0000.jsonl", [*rows, failed])
    results = root / "results" / RUN
    for method in METHODS:
        save_rows(results / "predictions" / f"{method}.jsonl", predictions(method))
    files.write_json(results / "run.json", {name: {"method": {"strategy": name}, "seed": 0} for name in METHODS})
    for doc_id, seconds in (("alpha", 1.0), ("beta", 3.0)):
        asked = {each.question_id: seconds for each in QUESTIONS if each.doc_id == doc_id}
        files.write_json(results / "measured" / "answers" / "cosee" / DATASET / f"{doc_id}.json", {"seconds": asked})
    for question in QUESTIONS:
        board_trace().save(results / "traces" / "cosee" / DATASET / f"{files.safe_name(question.question_id)}.ndjson")


def predictions(method: str) -> list[Prediction]:
    """One row a question; ``page_rag`` misses q02 and fails q05."""
    rows = []
    for question in QUESTIONS:
        if method == "page_rag" and question.question_id == "q02":
            continue
        failed = method == "page_rag" and question.question_id == "q05"
        answer, support = _answer(method, question)
        abstained = answer == NOT_ANSWERABLE
        rows.append(
            Prediction(
                question_id=question.question_id,
                doc_id=question.doc_id,
                dataset=DATASET,
                method=method,
                status="failed" if failed else "ok",
                reason="model_error" if failed else None,
                exit_reason="error" if failed else "abstained" if abstained else "answered",
                answer="" if failed else answer,
                abstained=abstained and not failed,
                answer_long=f"{answer}, as the report says.",
                confidence=None if method == "constant" else 0.8,
                support=[] if failed else support,
                retrieved=[] if method == "constant" else [
                    Retrieved(node_id="t_1", page=2, score=0.91, parts={"dense": 0.5, "bm25f": 0.41},
                              reasons=["title_hit"]),
                    Retrieved(node_id="t_0", page=1, score=0.52, parts={"dense": 0.2, "bm25f": 0.32}),
                ],
                retrieved_pages=[] if method == "constant" else [2, 1],
                usage=Usage() if method == "constant" else Usage(calls=2, tokens_in=900, tokens_out=20),
                measures={"page_coverage": 0.5} if method == "cosee" else {},
                config_hash="0" * 64,
                model="embedded",
                model_revision="1",
            )
        )  # fmt: skip
    return rows


def _answer(method: str, question: Question) -> tuple[str, list[Support]]:
    gold = question.answer if isinstance(question.answer, str) else repr(question.answer)
    if method == "constant" or question.unanswerable:
        return NOT_ANSWERABLE, []
    page = question.evidence_pages[0] if question.evidence_pages else 1
    support = [
        Support(node_id=f"t_{page - 1}", page=page, page_label=str(page), bbox=(0.1, 0.1, 0.7, 0.16),
                quote=f"Page {page}", quote_verified=True)
    ]  # fmt: skip
    if method == "page_rag" and question.question_id == "q06":
        return HOSTILE, support
    return gold or "no gold", support


def make_pdf(path: Path, title: str, pages: int = 2) -> None:
    """A PDF of A5 pages with a heading and a few lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_pdf_bytes(title, pages))


@cache
def _pdf_bytes(title: str, pages: int) -> bytes:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            page = document.new_page(width=420, height=595)
            page.insert_text((42, 80), f"Page {number} of {title}", fontsize=18)
            for line in range(12):
                page.insert_text((42, 130 + 22 * line), f"Line {line} about the harbour and its {title} quay.")
        return bytes(document.tobytes(no_new_id=True))


def make_tree(doc_id: str) -> DocTree:
    """A document, one section, a paragraph a page."""

    def leaf(number: int) -> Node:
        box = (0.1, 0.1, 0.7, 0.16)
        return Node(id=f"t_{number}", type="paragraph", parent="sec_9", page_idx=number, page_span=(number, number),
                    bbox=box, regions=[Region(page_idx=number, bbox=box)], text=f"Page {number + 1} of {doc_id}",
                    level=2)  # fmt: skip

    return DocTree(
        doc_id=doc_id,
        title=f"Report on {doc_id}",
        language="en",
        pages=[PageInfo(page_idx=number, width=420, height=595, page_label=str(number + 1)) for number in (0, 1)],
        nodes=[
            Node(id="doc", type="document", parent=None, children=["sec_9"], page_idx=0, page_span=(0, 1)),
            Node(id="sec_9", type="section", parent="doc", children=["t_0", "t_1"], page_idx=0, page_span=(0, 1),
                 bbox=(0.1, 0.05, 0.5, 0.09), title=f"Harbour {HOSTILE}", text="Harbour", level=1),
            leaf(0),
            leaf(1),
        ],
        quality=TreeQuality(pages=2, pages_with_nodes=2, text_characters=100, text_coverage=0.97, sections=1,
                            max_depth=1, figures=0, figures_without_caption=0, tables=0, tables_without_caption=0,
                            orphans=0),
    )  # fmt: skip


def board_trace() -> Trace:
    """Two agents, a hypothesis, a hostile message."""
    trace = Trace()
    trace.add("start", message="cosee", pages=[1, 2])
    trace.add("retrieval", message="2 pages", pages=[2, 1])
    view = {"page": 2, "bbox": [0.1, 0.1, 0.7, 0.16]}
    trace.add("cell", step=1, author="scanner", message=f"Page 2 names the number {HOSTILE}", id=1, tags=["number"],
              view=view)  # fmt: skip
    trace.add("cell", step=1, author="detail_reader", message="1,204 ships were built", id=2, tags=["hypothesis"],
              view=view)  # fmt: skip
    trace.add("hypothesis", step=1, author="detail_reader", message="1,204", answer="1,204", confidence=0.9, cell_id=2)
    trace.add("call", step=1, author="scanner", tokens_in=400, tokens_out=20)
    trace.add("complete", message="answered")
    return trace
