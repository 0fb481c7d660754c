"""``cosee ask --together``: a question to several documents as a collection, in a workspace that later ones reuse."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent
from cosee.commands.ask import DATASET, Answered, document_stages, question_of, run_of, served_models, shard_rows
from cosee.commands.reasons import remedy
from cosee.datasets.leaving import SHEET, remove_placed
from cosee.datasets.placing import document_ids, place_document
from cosee.machine import cache_root
from cosee.pipeline.config import Config
from cosee.pipeline.locks import locked
from cosee.pipeline.paths import Paths
from cosee.pipeline.shards import sync_collection, sync_dataset
from cosee.stages.answer import AnswerStage
from cosee.stages.collection import build_shard
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage


def answered_together(
    given: Sequence[Path],
    documents: Sequence[Path],
    text: str,
    settings: Config,
    *,
    method: str,
    model: str | None,
    listener: Callable[[TraceEvent], None],
    quiet: bool,
) -> Answered:
    """One method's answer from all ``documents``, which are the files and what is in the folders that were ``given``.

    The workspace goes by what was given: a document that is added, changed or taken out of a folder is read by itself.
    One that cannot be read is said, and stands in the answer's ``unread``.

    Raises:
        ArtifactError: no document can be searched, or the question cannot be used.
        ConfigError: the method or the model is wrong.
    """
    question, run = question_of(text, doc_id=""), run_of(settings, method, model)
    settings = settings.model_copy(update={"datasets": [DATASET], "runs": {DATASET: run}})
    name = files.sha256_value(sorted(path.resolve().as_posix() for path in given))[:16]
    root, label = cache_root() / "ask" / f"together-{name}", run.methods[0].label
    paths = Paths(root / "data", root / "indexes", root / "results", DATASET, label)
    with locked(root / ".lock"):
        _place(paths.dataset(DATASET), documents)
        save_rows(paths.question_file(DATASET), [question])
        shards = list(sync_dataset(paths, DATASET, settings.shard_pages))
        (asked,) = sync_collection(paths, DATASET)
        for shard in shards:
            _index(paths, shard, settings, quiet=quiet)
        shard_rows(QuestionsStage(), settings.index, paths, asked, settings, quiet=quiet, upstream=())
        stage = AnswerStage(listener=listener, opened=served_models(run))
        stage.search_in([paths.collection(DATASET, shard) for shard in shards])
        section = settings.answer_settings(DATASET, label)
        (row,) = shard_rows(stage, section, paths, asked, settings, quiet=quiet, upstream=("questions",))
        if row.status in ("failed", "skipped"):
            raise ArtifactError(f"no document can be searched ({row.reason}): {row.message}")
        (answer,) = load_rows(Prediction, _result(paths, "answers", f"{question.place}.jsonl"))
    return Answered(answer, _result(paths, "traces", f"{files.safe_name(question.question_id)}.ndjson"))


def _result(paths: Paths, kind: str, name: str) -> Path:
    return paths.results / DATASET / kind / str(paths.method) / DATASET / name


def _place(target: Path, documents: Sequence[Path]) -> None:
    """Put the documents, and nothing else, where the stages look for them."""
    ids = document_ids([path.resolve().as_posix() for path in documents])
    for path in documents:
        if not path.is_file():
            raise ArtifactError(f"{path}: no such file")
        place_document(target, ids[path.resolve().as_posix()], path)
    remove_placed(target, current(load_sheet(target / SHEET)).keys() - set(ids.values()))


def _index(paths: Paths, shard: str, settings: Config, *, quiet: bool) -> None:
    """Read and index the documents of a shard, then add them to the collection."""
    for stage, section in chain(document_stages(settings), [(IndexStage(), settings.index)]):
        for row in shard_rows(stage, section, paths, shard, settings, quiet=quiet):
            if row.status == "failed":
                advice = f". {remedy(row.reason)}" if row.reason else ""
                sys.stderr.write(f"cosee: {row.doc_id}: stage {stage.name} failed: {row.message}{advice}\n")
    build_shard(paths, DATASET, shard, paths.place("index", DATASET, shard).ledger)
