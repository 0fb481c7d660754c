"""Whether what answers cite carries them: what a model is shown of it, what counts, and that it is asked once."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from helpers.agent_trees import HEADCOUNT, REVENUE, small_tree
from helpers.make_pdf import lines, make_pdf
from helpers.model_server import MODEL, ModelServer, Raw, model_server
from PIL import Image

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.documents import DocumentRow, save_sheet
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, EvidenceBox, Question
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.metrics import Metrics
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.stages import evaluate, evidence, summarize

pytest.importorskip("openai", reason="the openai library is not installed")
RUN, DATASET, METHOD = "trial", "tests", "page_rag"
STAFF = "How many people did the company employ in 2023?"
QUESTIONS = [
    Question(question_id="carried", doc_id="doc_a", question=STAFF, answer="412", answer_format="Int",
             evidence_boxes=[EvidenceBox(page=2, bbox=(0.1, 0.2, 0.9, 0.3))]),
    Question(question_id="elsewhere", doc_id="doc_a", question="What was revenue in 2023?", answer="$3.4 million",
             answer_format="Str"),
    Question(question_id="made up", doc_id="doc_a", question="Who leads it?", answer="Ann", answer_format="Str"),
    Question(question_id="withheld", doc_id="doc_a", question="Who left?", answer=NOT_ANSWERABLE, answer_format="None"),
    Question(question_id="failed", doc_id="doc_b", question="What is it worth?", answer="12", answer_format="Int"),
]  # fmt: skip


def support(node_id: str | None, page: int, quote: str, *, verified: bool = True, **fields: Any) -> Support:
    return Support(node_id=node_id, page=page, bbox=fields.pop("bbox", (0.1, 0.2, 0.9, 0.3)), quote=quote,
                   quote_verified=verified, **fields)  # fmt: skip


def prediction(question: Question, answer: str, pieces: list[Support], **fields: Any) -> Prediction:
    return Prediction(
        question_id=question.question_id, doc_id=question.doc_id, dataset=DATASET, method=METHOD,
        **{"status": "ok", "exit_reason": "answered", **fields}, answer=answer, abstained=answer == NOT_ANSWERABLE,
        support=pieces, read_pages=[1, 2], config_hash="0" * 64, model="m", model_revision="1",
    )  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of one method: evidence that carries its answer, some that stands twice, none, an abstention, a failure."""
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data" / DATASET
    for doc_id in ("doc_a", "doc_b"):
        small_tree().model_copy(update={"doc_id": doc_id}).save(data / doc_id / "doctree.mm.json")
        make_pdf(data / doc_id / "full.pdf", lambda page: lines(page, 72, 90, [REVENUE]),
                 lambda page: page.draw_rect((60, 158, 540, 237), fill=(0, 0, 0.8)), lambda page: None)  # fmt: skip
    sha256 = files.sha256_file(data / "doc_a" / "full.pdf")
    save_sheet(
        data / "documents.tsv",
        [DocumentRow(doc_id=name, sha256=sha256, pages=3, shard="0000") for name in ("doc_a", "doc_b")],
    )
    save_rows(data / "qa" / "questions.jsonl", QUESTIONS)
    carried, elsewhere, made_up, withheld, failed = QUESTIONS
    rows = [
        prediction(carried, "412", [support("t_5", 2, "412 people")]),
        prediction(elsewhere, "$3.4 million", [support("t_2", 1, "$3.4 million in 2023")]),
        prediction(made_up, "Ann", [support(None, 2, "Ann leads it", verified=False, bbox=None)]),
        prediction(withheld, NOT_ANSWERABLE, []),
        prediction(failed, "", [], status="failed", reason="budget", exit_reason="budget"),
    ]
    save_rows(tmp_path / "results" / RUN / "predictions" / f"{METHOD}.jsonl", rows)
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as state:
        yield state


def configure(server: ModelServer, **fields: Any) -> None:
    entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "retries": 0, "concurrency": 1}
    Path("config").mkdir(exist_ok=True)
    models = {"models": {"local": {**entry, "sees_images": False, **fields}}}
    Path("config/models.yaml").write_text(json.dumps(models), encoding="utf-8")


def check(model: str = "local") -> int:
    return evidence.main(["--run", RUN, "--method", METHOD, "--datasets", DATASET, "--model", model])


def measured(model: str = "local", bootstrap: int = 0) -> Metrics:
    settings = json.dumps({"bootstrap": bootstrap, "evidence": model})
    arguments = ["--run", RUN, "--methods", METHOD, "--datasets", DATASET, "--settings", settings]
    assert evaluate.main(arguments) == 0
    return Metrics.load(Path(f"results/{RUN}/metrics.json"))


def rows() -> dict[str, EvidenceCheck]:
    return {row.question_id: row for row in load_rows(EvidenceCheck, Path(f"results/{RUN}/evidence/{METHOD}.jsonl"))}


def prompt(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["messages"][0]["content"] if part["type"] == "text")


def reply(answer: str) -> str:
    return json.dumps({"explanation": "so it says", "quotes": [], "answer": answer, "confidence": 0.9})


def reads(body: dict[str, Any]) -> Raw | None:
    """A model that answers from what it is shown, and nothing else."""
    shown, asked, question = prompt(body).partition("Question: ")
    if not asked:
        return None
    wanted = "412" if STAFF in question else "$3.4 million"
    return said(reply(wanted if wanted in shown else NOT_ANSWERABLE))


def said(text: str) -> Raw:
    """A reply of the protocol."""
    message = {"role": "assistant", "content": text}
    return Raw({"id": "c", "object": "chat.completion", "created": 0, "model": MODEL,
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})  # fmt: skip


def test_evidence_that_carries_an_answer_is_told_from_what_does_not(project: Path, server: ModelServer) -> None:
    server.refuse = reads
    configure(server)
    assert check() == 0
    said = {name: (row.status, row.cited, row.from_evidence, row.without_evidence) for name, row in rows().items()}
    assert said == {
        "carried": ("ok", 1, "412", NOT_ANSWERABLE),
        "elsewhere": ("ok", 1, "$3.4 million", "$3.4 million"),  # table 1 says it too
        "made up": ("ok", 0, None, None),
    }, "no row for the abstention and the failure"
    asked = [prompt(body) for body in server.requests if "Question: " in prompt(body)]
    assert len(asked) == 4, "two calls an answer that cites something"
    alone, rest = asked[:2]
    assert HEADCOUNT in alone and REVENUE not in alone and "Oslo" not in alone and STAFF in alone
    assert HEADCOUNT not in rest and REVENUE in rest and STAFF in rest
    block = measured().methods[METHOD].all
    # Of carried, elsewhere, made up and failed; the abstention claims nothing.
    assert block.measures["evidence_sufficient"] == pytest.approx(2 / 4)
    assert block.measures["evidence_necessary"] == pytest.approx(1 / 4)
    assert block.measures["box_f1"] == 1.0


def test_the_measures_are_in_tables_summary_and_report_with_intervals(project: Path, server: ModelServer) -> None:
    server.refuse = reads
    configure(server)
    assert check() == 0
    metrics = measured(bootstrap=200)
    block = metrics.methods[METHOD].all
    interval = block.measure_intervals["evidence_sufficient"]
    assert interval.low < block.measures["evidence_sufficient"] < interval.high
    assert metrics.provenance.evidence is not None and metrics.provenance.evidence.startswith(f"{MODEL}@")
    assert {"evidence_sufficient", "evidence_necessary"} <= set(
        metrics.measures
    ) and "evidence" in metrics.provenance.code
    table = pandas.read_parquet(f"results/{RUN}/metrics.parquet").set_index(["metric", "question_id"])["value"]
    assert {name: table["evidence_sufficient", name] for name in ("carried", "made up", "failed")} == {
        "carried": 1.0, "made up": 0.0, "failed": 0.0,
    }  # fmt: skip
    assert ("evidence_sufficient", "withheld") not in table.index
    assert Costs.load(Path(f"results/{RUN}/costs.json")).stages.get("evidence") is None, "no job was measured here"
    assert summarize.main(["--runs", RUN, "--no-pictures"]) == 0
    index = Path("results/report/index.html").read_text(encoding="utf-8")
    assert "evidence sufficient" in index and f"{interval.low:.3f}–{interval.high:.3f}" in index


def test_a_second_time_asks_nothing_and_a_cut_run_goes_on(project: Path, server: ModelServer) -> None:
    server.refuse = reads
    configure(server)
    assert check() == 0
    asked, before = len(server.requests), Path(f"results/{RUN}/evidence/{METHOD}.jsonl").read_bytes()
    assert check() == 0
    assert len(server.requests) == asked and Path(f"results/{RUN}/evidence/{METHOD}.jsonl").read_bytes() == before
    journal = Path(f"results/{RUN}/journal/evidence/{METHOD}.jsonl")
    first, *_ = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text(first, encoding="utf-8")
    assert check() == 0
    assert len(server.requests) == asked + 3 and Path(f"results/{RUN}/evidence/{METHOD}.jsonl").read_bytes() == before


def test_a_call_that_fails_counts_against_the_evidence_and_is_said(project: Path, server: ModelServer) -> None:
    def broken(body: dict[str, Any]) -> Raw | None:
        shown, _, question = prompt(body).partition("Question: ")
        return said("no idea") if HEADCOUNT in shown and STAFF in question else reads(body)

    server.refuse = broken
    configure(server)
    assert check() == 0
    failed = rows()["carried"]
    assert (failed.status, failed.from_evidence, failed.without_evidence) == ("failed", None, NOT_ANSWERABLE)
    assert "no_json" in failed.reason
    metrics = measured()
    assert f"{METHOD}: the evidence of 1 answers could not be tried, and counts as none" in metrics.notes
    measures = metrics.methods[METHOD].all.measures
    assert (measures["evidence_sufficient"], measures["evidence_necessary"]) == (0.25, 0.25)


def test_a_model_that_answers_nothing_and_a_missing_row_end_the_run(
    project: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.replies = [500]
    configure(server)
    assert check() == 2 and "failed on all 2 answers" in capsys.readouterr().err
    server.replies = [reply("412")]
    assert check() == 0
    path = Path(f"results/{RUN}/evidence/{METHOD}.jsonl")
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    settings = json.dumps({"bootstrap": 0, "evidence": "local"})
    arguments = ["--run", RUN, "--methods", METHOD, "--datasets", DATASET, "--settings", settings]
    assert evaluate.main(arguments) == 2 and "redo with '-R evidence'" in capsys.readouterr().err


def test_a_model_that_sees_is_shown_crops_and_then_pages_without_them(project: Path, server: ModelServer) -> None:
    server.replies = [reply("412")]
    configure(server, sees_images=True)
    assert check() == 0
    alone, rest = server.requests[:2]
    (crop,), (first, second) = _pictures(alone), _pictures(rest)
    assert _blue(crop) > 0.7 and crop.width > crop.height > 50, "the cited box alone, with a small margin"
    assert first.size == second.size and first.height > first.width
    assert crop.width > 1.1 * 0.82 * first.width, "drawn anew, finer than the page, not cut out of its picture"
    assert _blue(first) == 0 and _blue(second) < 0.02, "page 2 without the box"
    assert Path("results/.cache/pages").is_dir()


def test_a_quote_is_taken_out_where_no_node_holds_it_and_words_of_its_own_are_not_shown(
    project: Path, server: ModelServer
) -> None:
    path = Path(f"results/{RUN}/predictions/{METHOD}.jsonl")
    kept = load_rows(Prediction, path)
    pieces = [support(None, 2, f"{HEADCOUNT}", bbox=None), support("t_7", 3, "The secret is 99.", verified=False)]
    save_rows(path, [kept[0].model_copy(update={"support": pieces}), *kept[1:]])
    server.refuse = reads
    configure(server)
    assert check() == 0
    asked = [prompt(body) for body in server.requests if "Question: " in prompt(body)]
    assert HEADCOUNT in asked[0] and "Offices are in Oslo" in asked[0] and "secret" not in asked[0]
    assert HEADCOUNT not in asked[1] and "Oslo" not in asked[1] and REVENUE in asked[1]


def test_the_reader_without_a_model_can_be_asked(project: Path) -> None:
    assert check("embedded") == 0
    row = rows()["carried"]
    assert (row.model, row.from_evidence, row.without_evidence) == ("embedded", "412", NOT_ANSWERABLE)
    measures = measured("embedded").methods[METHOD].all.measures
    assert measures["evidence_sufficient"] >= 0.25


def test_without_the_setting_nothing_is_asked_or_said(project: Path) -> None:
    settings = json.dumps({"bootstrap": 0})
    assert evaluate.main(["--run", RUN, "--methods", METHOD, "--datasets", DATASET, "--settings", settings]) == 0
    metrics = Metrics.load(Path(f"results/{RUN}/metrics.json"))
    assert set(metrics.methods[METHOD].all.measures) == {"box_f1"} == set(metrics.measures)
    assert metrics.provenance.evidence is None and "evidence" not in metrics.provenance.code


def _pictures(body: dict[str, Any]) -> list[Image.Image]:
    urls = [part["image_url"]["url"] for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    return [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB") for url in urls]


def _blue(picture: Image.Image) -> float:
    """Share of the picture that is the blue of the cited box."""
    pixels = np.asarray(picture)
    return float(((pixels[..., 2] > 150) & (pixels[..., 0] < 80)).mean())
