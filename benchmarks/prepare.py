"""M0 to M2 on the documents of a question folder, through the stage classes, kept in a work folder between runs."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import QaSet, progress
from cosee.artifacts import files
from cosee.artifacts.base import Record, save_rows
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.code_closure import code_sha256
from cosee.pipeline.stage import DocFolder, Part, Stage, StageFailure
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage

DATASET = "qa"


def index_document(doc: DocFolder, settings: IndexSettings) -> None:
    """M2 over a document that was read, and the vectors of its questions."""
    IndexStage().run(doc, settings)
    QuestionsStage().run(doc, settings)


@dataclass(frozen=True)
class Prepared:
    """A document with its artifacts; ``failure`` says why it has none."""

    doc: DocFolder
    failure: str | None = None


def prepare(
    qa: QaSet,
    documents: list[str],
    work: Path,
    embedder: str = "minilm",
    *,
    precision: str = "float32",
    any_code: bool = False,
    adapt: AdaptSettings | None = None,
) -> dict[str, Prepared]:
    """Document id -> its artifacts below ``work/<start of the PDF's sha256>/``.

    A stage is run where its code, its settings or what it reads changed since it last ran there; ``any_code`` leaves
    the code out of that, so that retrieval can be measured while a parser is being edited.
    """
    index = IndexSettings.model_validate({"embedder": embedder, "precision": precision})
    stages: list[tuple[Stage, Record]] = [
        (AdaptStage(), adapt or AdaptSettings()),
        (EnhanceStage(), EnhanceSettings()),
        (BuildStage(), BuildSettings()),
        (IndexStage(), index),
        (QuestionsStage(), index),
    ]
    code = {stage.name: None if any_code else code_sha256(f"cosee.stages.{stage.name}") for stage, _ in stages}
    found: dict[str, Prepared] = {}
    for number, doc_id in enumerate(documents, start=1):
        progress("prepared", number, len(documents), doc_id)
        found[doc_id] = _prepare_one(qa, doc_id, work, stages, code)
    progress("", 0, 0, "")
    return found


def is_prepared(pdf: Path, work: Path) -> bool:
    """Whether an earlier call made the index of a document and the vectors of its questions, whatever code did."""
    state = work / files.sha256_file(pdf)[:16] / "state.json"
    return state.is_file() and files.read_json(state).get("questions", {}).get("failure", "") is None


def _prepare_one(
    qa: QaSet, doc_id: str, work: Path, stages: list[tuple[Stage, Record]], code: Mapping[str, str | None]
) -> Prepared:
    pdf = qa.pdf(doc_id)
    root = work / files.sha256_file(pdf)[:16]
    doc = DocFolder(DATASET, doc_id, root / "data" / DATASET / doc_id, root / "indexes" / DATASET / doc_id)
    if not (doc.data / "full.pdf").exists():
        doc.data.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pdf, doc.data / "full.pdf")
    save_rows(doc.questions, [question for question in qa.questions if question.doc_id == doc_id])
    state_path = root / "state.json"
    state: dict[str, Any] = files.read_json(state_path) if state_path.exists() else {}
    for stage, settings in stages:
        inputs = [_sha256(each) for each in stage.inputs(doc, settings)]
        key = files.sha256_value([inputs, settings.model_dump(mode="json")])
        known = state.get(stage.name, {})
        same = known.get("key") == key and code[stage.name] in (None, known.get("code"))
        if not same or not all(Path(path).exists() for path in known.get("outputs", [])):
            try:
                outputs, failure = [str(path) for path in stage.run(doc, settings).outputs], None
            except StageFailure as error:
                outputs, failure = [], f"{stage.name}: {error.reason}: {error.message}"
            state[stage.name] = known = {"key": key, "code": code[stage.name], "outputs": outputs, "failure": failure}
            files.write_json(state_path, state)
        if known["failure"]:
            return Prepared(doc, known["failure"])
    return Prepared(doc)


def _sha256(given: Path | Part) -> str | None:
    if isinstance(given, Part):
        return given.sha256
    return files.sha256_file(given) if given.exists() else None


def add_options(parser: argparse.ArgumentParser, precision: str = "float32") -> None:
    """Options for how documents are prepared, beside the folders."""
    parser.add_argument("--embedder", default="minilm", help="as index.embedder; 'none' for no vectors")
    parser.add_argument("--precision", default=precision, help="as index.precision")
    parser.add_argument("--ocr", default="auto", help="as adapt.ocr")
    parser.add_argument(
        "--any-code", action="store_true", help="use artifacts in the work folder whatever code made them"
    )


def prepare_as_asked(qa: QaSet, documents: list[str], options: argparse.Namespace) -> dict[str, Prepared]:
    """``prepare`` with what ``add_options`` asks for."""
    return prepare(
        qa, documents, options.work, options.embedder, precision=options.precision, any_code=options.any_code,
        adapt=AdaptSettings(ocr=options.ocr),
    )  # fmt: skip


def failures(prepared: Mapping[str, Prepared]) -> dict[str, str]:
    """Document -> why it has no artifacts."""
    return {doc_id: each.failure for doc_id, each in prepared.items() if each.failure}
