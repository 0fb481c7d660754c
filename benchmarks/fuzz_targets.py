"""What the fuzzer attacks: five readers of what users, models and other programs write, with small seeds made here.

A target reads one input in a folder of its own. It gives a word for the outcome, ``ok`` or the documented refusal; any
exception, any broken artifact that it finds afterwards, is a finding.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.fuzz_mutations import BYTES, JSON, PDF, Mutation, json_lines, pdf_cut_stream, truncate
from cosee.artifacts import files

CUTS = (truncate, pdf_cut_stream)
"""Mutations after which a document cannot be whole."""


class Broken(AssertionError):
    """An outcome that breaks a promise: a row without its reason, an artifact that cannot be read, text lost unsaid."""


@dataclass(frozen=True)
class Target:
    """One reader: how its inputs are made, how they are broken, and what reads them."""

    name: str
    seeds: Callable[[], list[bytes]]
    mutations: Sequence[Mutation]
    read: Callable[[Path, bytes, Mutation], str]


@dataclass(frozen=True)
class Input:
    """One broken input."""

    target: Target
    data: bytes
    mutation: Mutation
    seed: int = 0
    """Which of the target's seeds it was made of."""


@dataclass
class Seeds:
    """The seeds of each target, made once."""

    made: dict[str, list[bytes]] = field(default_factory=dict)

    def input(self, target: Target, key: str) -> Input:
        """The input that ``key`` stands for: the same for the same key."""
        if target.name not in self.made:
            self.made[target.name] = target.seeds()
        seeds, rng = self.made[target.name], random.Random(key)
        number = rng.randrange(len(seeds))
        mutation = rng.choice(target.mutations)
        data = mutation(rng, seeds[number], seeds)
        for _ in range(rng.choice((0, 0, 0, 1, 3)) if mutation not in CUTS else 0):
            data = rng.choice(target.mutations)(rng, data, seeds)
        return Input(target, data, mutation, number)


def _pages() -> Any:
    """Two pages with headings, prose, a ruled table, a picture, a drawing and bookmarks."""
    import pymupdf

    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page(width=400, height=500)
        page.insert_text((40, 60), f"{number} Results of station {number}", fontsize=16, fontname="hebo")
        for line in range(8):
            page.insert_text((40, 90 + 13 * line), f"Line {line} of page {number} tells how the station fared.")
        for row in range(3):
            for column in range(3):
                box = pymupdf.Rect(40 + 90 * column, 220 + 18 * row, 130 + 90 * column, 238 + 18 * row)
                page.draw_rect(box, width=0.5)
                page.insert_text((box.x0 + 4, box.y1 - 5), f"{row * column + number}", fontsize=9)
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 30), False)
        pixmap.set_rect(pixmap.irect, (200, 40 * number, 90))
        page.insert_image(pymupdf.Rect(40, 300, 140, 380), pixmap=pixmap)
        page.insert_text((40, 395), f"Figure {number}: The station from the air.", fontsize=9)
        page.draw_circle((250, 340), 30, fill=(0.2, 0.5, 0.9))
    document.set_toc([[1, "1 Results of station 1", 1], [1, "2 Results of station 2", 2]])
    return document


def _form() -> Any:
    """A turned page with a form field, a note, a link and an attachment."""
    import pymupdf

    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.insert_text((40, 60), "Application form", fontsize=16)
    field_ = pymupdf.Widget()
    field_.field_name, field_.field_type, field_.field_value = "name", pymupdf.PDF_WIDGET_TYPE_TEXT, "Ada Marsh"
    field_.rect = pymupdf.Rect(40, 80, 200, 100)
    page.add_widget(field_)
    page.add_text_annot((40, 140), "Check this entry.")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(40, 160, 90, 170), "uri": "https://example.org"})
    page.set_rotation(90)
    document.embfile_add("values.csv", b"a,b\n1,2\n", filename="values.csv")
    document.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": 1}])
    return document


def pdf_seeds() -> list[bytes]:
    """Plain, compressed, with object streams, with a form."""
    plain = _pages().tobytes(no_new_id=True, deflate=False)
    packed = _pages().tobytes(no_new_id=True, deflate=True, garbage=3)
    streams = _pages().tobytes(no_new_id=True, deflate=True, use_objstms=1)
    form = _form().tobytes(no_new_id=True, deflate=True)
    return [plain, packed, packed, streams, form]


def read_document(folder: Path, data: bytes, mutation: Mutation) -> str:
    """A PDF through M0, M1 and M2."""
    files.write_bytes(folder / "full.pdf", data)
    return _through_stages(
        folder, cut_off=mutation is pdf_cut_stream or mutation is truncate and b"%%EOF" not in data[-1024:]
    )


def read_mineru(folder: Path, data: bytes, _: Mutation) -> str:
    """MinerU's list beside a sound PDF, through the same stages."""
    files.write_bytes(folder / "full.pdf", _sound_pdf())
    files.write_bytes(folder / "mineru" / "content_list.json", data)
    return _through_stages(folder)


@cache
def _sound_pdf() -> bytes:
    return pdf_seeds()[0]


def _through_stages(folder: Path, *, cut_off: bool = False) -> str:
    """The first refusal, ``partial`` or ``ok``. Raises Broken where an artifact does not keep its promises."""
    from cosee.artifacts.reasons import check
    from cosee.artifacts.settings.index import IndexSettings
    from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
    from cosee.pipeline.stage import DocFolder, StageFailure
    from cosee.stages.adapt import AdaptStage
    from cosee.stages.build import BuildStage
    from cosee.stages.enhance import EnhanceStage
    from cosee.stages.index import IndexStage

    doc = DocFolder("fuzz", folder.name, folder, folder / "index")
    steps: list[tuple[Any, Any]] = [
        (AdaptStage(), AdaptSettings(ocr="none")),
        (EnhanceStage(), EnhanceSettings()),
        (BuildStage(), BuildSettings()),
        (IndexStage(), IndexSettings(embedder="none")),
    ]
    partial = ""
    for stage, settings in steps:
        try:
            result = stage.run(doc, settings)
        except StageFailure as failure:
            if stage.name != "adapt" or failure.reason == "bad_input" and "mineru" not in failure.message:
                raise Broken(f"{stage.name} refuses what the stage before wrote: {failure.message}") from failure
            return f"failed {failure.reason}"
        check(result.reason)
        if (result.status == "ok") != (result.reason is None):
            raise Broken(f"{stage.name}: status {result.status}, reason {result.reason}")
        if result.reason == "tree_problems":
            raise Broken(f"the tree breaks its own rules: {result.message}")
        for path in result.outputs:
            path.read_bytes().decode("utf-8") if path.suffix in (".json", ".jsonl") else path.stat()
        partial = partial or (f"partial {result.reason}" if result.reason else "")
    if cut_off and not partial:
        raise Broken("a file that was cut off is taken for a whole one")
    return partial or "ok"


def mineru_seeds() -> list[bytes]:
    """Content lists of versions 1, 2, 2.5 and 3, wrapped and not, and middle JSON."""
    text = {"type": "text", "text": "1 Results", "text_level": 1, "page_idx": 0}
    prose = {"type": "text", "text": "The station fared well in the first year.", "page_idx": 0}
    table = {
        "type": "table",
        "table_body": "<table><tr><td>a</td><td>1</td></tr></table>",
        "table_caption": ["Table 1"],
    }
    image = {
        "type": "image",
        "img_path": "images/a.jpg",
        "img_caption": ["Figure 1"],
        "img_footnote": [],
        "page_idx": 1,
    }
    box = {"bbox": [100, 100, 500, 140]}
    newer = {**image, "image_caption": ["Figure 1"], "image_footnote": ["Source: ours"], "bbox": [100, 200, 500, 400]}
    first = [text, prose, {**table, "page_idx": 1}, image, {"type": "equation", "text": "$$a=b$$", "page_idx": 1}]
    second = [{**text, **box}, {**prose, "bbox": [100, 150, 900, 200]}, {**table, **box, "page_idx": 1}, newer]
    third = [
        *second,
        {"type": "list", "sub_type": "text", "list_items": ["- one", "- two"], "page_idx": 1, **box},
        {"type": "code", "code_body": "print(1)", "code_caption": ["Listing 1"], "page_idx": 1, **box},
        {"type": "header", "text": "Annual report", "page_idx": 0, **box},
        {"type": "page_number", "text": "2", "page_idx": 1, **box},
        {"type": "discarded", "text": "draft", "page_idx": 1, **box},
    ]
    span = {"type": "text", "content": "The station fared well."}
    paged = [[{"type": "paragraph", "content": {"paragraph_content": [span]}, **box}], [{"type": "title", **box}]]
    line = {"bbox": [10, 10, 90, 20], "spans": [{"bbox": [10, 10, 90, 20], "type": "text", "content": "A line."}]}
    block = {"type": "text", "bbox": [10, 10, 90, 20], "lines": [line]}
    middle = {"pdf_info": [{"page_idx": 0, "page_size": [400, 500], "para_blocks": [block], "discarded_blocks": []}]}
    values = (
        first,
        second,
        third,
        {"content_list": third},
        {"results": {"a": {"content_list": second}}},
        paged,
        middle,
    )
    return [json.dumps(value).encode() for value in values]


def reply_seeds() -> list[bytes]:
    """What models write for a typed request."""
    answer = '{"answer": "412 ships", "confidence": 0.8, "quotes": [{"page": 3, "quote": "412 ships"}]}'
    action = '{"action": "HYPOTHESIZE", "content": "It is 412.", "confidence": "high", "target": null, "answer": "412"}'
    plan = (
        '{"directives": [{"move": "MOVE_TO", "node": "sec_1"}], "candidates": ["sec_1", "tab_2"], "reason": "a table"}'
    )
    return [
        text.encode()
        for text in (
            answer,
            action,
            plan,
            f"<think>The table says so. {{}}</think>\n```json\n{action}\n```\nHope that helps!",
            f"Sure! Here it is:\n```\n{answer}\n```\nor\n```\n{answer}\n```",
            "{'answer': 'caf\\u00e9 \\ud83d\\ude00', // a comment\n confidence: None, 'quotes': [],}",
            f'"{json.dumps(answer)[1:-1]}"',
            f"[{answer}]",
            "I cannot tell.",
        )
    ]


def read_reply(_: Path, data: bytes, __: Mutation) -> str:
    """A reply against every schema of the strategies."""
    from pydantic import BaseModel

    from cosee.agents.baselines import schemas as baselines
    from cosee.agents.cosee import schemas as cosee
    from cosee.agents.decision import schemas as decision
    from cosee.agents.navigator import schemas as navigator
    from cosee.models.structured import parse

    outcomes = set()
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    for module in (baselines, cosee, decision, navigator):
        for schema in vars(module).values():
            if isinstance(schema, type) and issubclass(schema, BaseModel) and schema.__module__ == module.__name__:
                parsed = parse(text, schema)
                if (parsed.value is None) == (parsed.error is None):
                    raise Broken(f"{schema.__name__}: neither a value nor an error, or both")
                if parsed.value is not None:
                    files.canonical_json(parsed.value.model_dump(mode="json")).encode("utf-8")
                outcomes.add(parsed.error or "ok")
    return "ok" if "ok" in outcomes else f"refused {min(outcomes)}"


def question_seeds() -> list[bytes]:
    """A mark of the suffix, then the file: CSV with every separator, JSON lines."""
    head = "file,question,answer,evidence_pages,question_id,answer_format\n"
    body = 'one.pdf,What was revenue?,4.2 million,1;2,q1,Str\ntwo.pdf,"Who, then?","[""a"", ""b""]",,q2,List\n'
    rows = [
        {"doc_id": "one", "question": "What was revenue?", "answer": "4.2", "answer_format": "Float"},
        {"doc_id": "two", "question": "Wie viele?", "answer": ["a", "b"], "evidence_pages": [1, 2], "question_id": 7},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return [
        b".csv\n" + (head + body).encode(),
        b".csv\n\xef\xbb\xbf" + (head + body).replace(",", ";").encode(),
        b".tsv\n" + (head + body).replace(",", "\t").encode(),
        b".jsonl\n" + lines.encode(),
    ]


def read_questions(folder: Path, data: bytes, _: Mutation) -> str:
    """A question file beside two PDFs, through the import and back."""
    from cosee.artifacts.files import ArtifactError
    from cosee.artifacts.questions import load_questions
    from cosee.datasets.folder import import_folder

    suffix, _found, body = data.partition(b"\n")
    name = suffix.decode("ascii", "replace") if suffix in (b".csv", b".tsv", b".jsonl", b".ndjson") else ".csv"
    for pdf in ("one.pdf", "two.pdf"):
        files.write_bytes(folder / "pdfs" / pdf, b"%PDF-1.4\n%%EOF\n")
    files.write_bytes(folder / f"questions{name}", body)
    try:
        report = import_folder(folder / "pdfs", folder / f"questions{name}", folder / "data")
    except ArtifactError as error:
        return "refused " + ("with a place" if "line" in str(error) else "as a whole")
    if len(load_questions(folder / "data" / "qa" / "questions.jsonl")) != report.questions:
        raise Broken("the file holds another number of questions than the import reported")
    return "ok with problems" if report.problems else "ok"


def config_seeds() -> list[bytes]:
    """Configurations and model entries."""
    full = """
datasets: [demo, "reports"]
results_dir: results
shard_pages: 500
failure_budget: 0.25
limits: {seconds: 60, memory_mb: 2000}
adapt: {ocr: none, max_pages: 50}
index: &index
  embedder: hashing
runs:
  demo:
    datasets: [demo]
    model: embedded
    methods:
      - constant
      - strategy: cosee
        name: cosee_three
        max_steps: 3
      - {strategy: page_rag, top_k: 5}
    budget: {calls: 40, tokens: 100000}
quality: {backend: embedded, temperature: 0.0}
"""
    models = (
        "models:\n  embedded: {kind: embedded}\n  served: {kind: openai, base_url: 'http://x/v1', model: ${M:-m}}\n"
    )
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    bombs = (f"{bomb}datasets: [demo]\n{key}: *i\n" for key in ("shard_pages", "adapt", "runs", "quality", "models"))
    values = (full, full, full, models, *bombs, "datasets: [demo]\nshard_pages: 0x10\n")
    nested = {
        "datasets": ["demo"],
        "limits": {"seconds": 60},
        "index": {"embedder": "hashing"},
        "runs": {
            "demo": {"datasets": ["demo"], "methods": ["constant", {"strategy": "cosee", "max_steps": 3}], "seed": 1}
        },
        "quality": {"backend": "embedded"},
    }
    entries = {"models": {"a": {"kind": "embedded"}, "b": {"kind": "openai", "base_url": "http://x/v1", "model": "m"}}}
    as_json = [json.dumps(value, indent=1) for value in (nested, nested, nested, nested, entries, entries)]
    return [value.encode() for value in (*values, *as_json)]


def read_settings(folder: Path, data: bytes, _: Mutation) -> str:
    """A file as configuration, and as the list of models."""
    from cosee.artifacts.files import ArtifactError
    from cosee.models.base import ModelError
    from cosee.models.registry import load_models
    from cosee.pipeline.config import ConfigError, read_config

    files.write_bytes(folder / "config.yaml", data)
    outcome = "ok"
    try:
        config = read_config(folder / "config.yaml")
        files.canonical_json(config.model_dump(mode="json"))
    except ConfigError as error:
        outcome = "refused"
        if len(str(error)) > 10_000:
            raise Broken("a message of more than 10,000 characters") from error
    try:
        load_models(folder / "config.yaml")
    except (ArtifactError, ModelError):
        return outcome
    return "ok"


TARGETS = (
    Target("pdf", pdf_seeds, PDF, read_document),
    Target("content_list", mineru_seeds, JSON, read_mineru),
    Target("model_text", reply_seeds, (*JSON, *BYTES, *BYTES), read_reply),
    Target("questions", question_seeds, (json_lines,) * 4 + BYTES, read_questions),
    Target("configuration", config_seeds, (*JSON, *BYTES), read_settings),
)
