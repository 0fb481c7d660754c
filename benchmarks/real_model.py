"""Whether a real model can follow us: replies accepted, fields left out, evidence given and verified, form of answers.

``python -m benchmarks.real_model --config CONFIG --run RUN --limit N --json OUT``. The documents' artifacts are those
of the configured project, made before. The first ``N`` answerable questions of the run are asked by each method
(``--limit 60 cosee_light=20`` for less of one of them) through the run's entry of ``config/models.yaml``. Answers,
traces and the journal lie below ``--work``, so that a trial that was stopped goes on with the same command, and every
prompt and reply can be read. Nothing here says whether an answer is right. With ``--truth``, a dataset's folder, boxes
are held against the words that they are given for, where the text layer of its PDFs has these.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import print_table, write_report
from benchmarks.quoted_words import OVERLAPS, overlaps_of
from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError, JobFailure, safe_name
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.datasets.answer_format import infer_format
from cosee.pipeline.config import Config, ConfigError, read_config
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import StageFailure
from cosee.runs.files import questions_of
from cosee.stages.answer import AnswerStage

COUNT = re.compile(r"[^\d]{0,4}-?[\d,.]+.{0,12}")
"""A number with its currency and unit, as prompts ask for it."""
NAMES = ("questions", "answered", "replies", "accepted_at_first", "fields_left_out", "evidence", "verified_share",
         "form", "boxed_share", "stray_share", "overlapping", "calls_a_question", "tokens_a_question")  # fmt: skip
TOGETHER = "together"
"""Name of the figures over all methods."""
COUNTED = ("questions", "failed", "answered", "with_evidence", "verified", "boxed", "stray", "in_form")
LONGEST_ANSWER = 100
"""Characters of a short answer that is no list."""


def wanted(config: Config, run: str, limits: Mapping[str, int]) -> dict[str, list[tuple[str, Question]]]:
    """Method -> its (dataset, question), the first answerable ones of the run."""
    paths = Paths(Path(config.data_dir), Path(config.indexes_dir))
    asked = [
        (dataset, question)
        for dataset, question in questions_of(paths, config.runs[run].datasets)
        if not question.unanswerable and question.answer is not None
    ]
    return {
        method.label: asked[: limits.get(method.label, limits.get("", len(asked)))]
        for method in config.runs[run].methods
    }


def answer(
    config: Config, run: str, method: str, asked: Sequence[tuple[str, Question]], models: Path, work: Path
) -> list[tuple[Question, Prediction, list[TraceEvent]]]:
    """Each question with its row and its trace."""
    paths = Paths(Path(config.data_dir), Path(config.indexes_dir), work, run, method)
    settings = config.answer_settings(run, method)
    found = []
    for dataset, doc_id in dict.fromkeys((dataset, question.doc_id) for dataset, question in asked):
        of_document = {each.question_id: each for _, each in asked if each.doc_id == doc_id}
        AnswerStage(models, only=of_document).run(paths.folder(dataset, doc_id), settings)
        rows = load_rows(Prediction, work / run / "answers" / method / dataset / f"{doc_id}.jsonl")
        for row in rows:
            trace = load_trace(work / run / "traces" / method / dataset / f"{safe_name(row.question_id)}.ndjson")
            found.append((of_document[row.question_id], row, trace))
    return found


def measure(rows: Iterable[tuple[Question, Prediction, list[TraceEvent]]], truth: Path | None = None) -> dict[str, Any]:
    """The figures of one method; with ``truth`` also how its boxes lie: ``overlapping`` is the share of the answered
    questions with boxes for quoted words all of whose boxes lie over these, where the truth has the page's words.
    ``stray_share`` is that of the answered questions with a box that the model drew off the place it is for; turns of
    CoSee are placed as they are written, so that theirs are not told."""
    calls = refused = incomplete = 0
    overlaps: list[list[float]] = []
    repairs: Counter[str] = Counter()
    total: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
    for question, row, trace in rows:
        typed = [event for event in trace if event.type == "call" and "schema" in event.data]
        told = [event.data for event in trace if event.type == "status" and event.data.get("repairs")]
        notes = [each for event in told for each in event["repairs"]]
        calls += len(typed) - sum(event["attempts"] - 1 for event in told)
        refused += sum(any(each.startswith("refused:") for each in event["repairs"]) for event in told)
        incomplete += sum(note.startswith("left_out:") for note in notes)
        repairs.update(notes)
        total["questions"] += 1
        total["failed"] += row.status == "failed"
        total["calls"] += row.usage.calls
        total["tokens_in"] += row.usage.tokens_in
        total["tokens_out"] += row.usage.tokens_out
        if row.status == "failed" or row.abstained:
            continue
        total["answered"] += 1
        total["with_evidence"] += bool(row.support)
        total["verified"] += any(piece.quote_verified for piece in row.support)
        total["boxed"] += any(piece.bbox is not None for piece in row.support)
        total["stray"] += any(event.data.get("stray_boxes") for event in trace if event.type == "complete")
        total["in_form"] += in_asked_form(question, row.answer)
        if truth is not None and (found := overlaps_of(row.support, truth / row.doc_id / "full.pdf")):
            overlaps.append(found)
    answered, asked = total["answered"], total["questions"]
    return {
        **total,
        "replies": calls,
        "accepted_at_first": (calls - refused) / calls if calls else None,
        "fields_left_out": incomplete,
        "evidence": total["with_evidence"] / answered if answered else None,
        "verified_share": total["verified"] / answered if answered else None,
        "form": total["in_form"] / answered if answered else None,
        "boxed_share": total["boxed"] / answered if answered else None,
        "stray_share": total["stray"] / answered if answered else None,
        "overlapping": sum(min(each) >= OVERLAPS for each in overlaps) / len(overlaps) if overlaps else None,
        "overlaps": [[round(value, 3) for value in each] for each in overlaps],
        "calls_a_question": total["calls"] / asked if asked else None,
        "tokens_a_question": (total["tokens_in"] + total["tokens_out"]) / asked if asked else None,
        "notes": dict(repairs.most_common()),
    }


def in_asked_form(question: Question, answer: str) -> bool:
    """Whether an answer has the form of the gold one: a number, a list, yes or no, or a few words."""
    kind = question.answer_format or infer_format(question.answer or "")
    if kind in ("Int", "Float"):
        return COUNT.fullmatch(answer.strip()) is not None
    if kind == "List":
        return answer.startswith("[")
    if kind == "Bool":
        return answer in ("Yes", "No")
    return len(answer) <= LONGEST_ANSWER


def parse_limits(values: Sequence[str]) -> dict[str, int]:
    """``["60", "cosee_light=20"]`` -> ``{"": 60, "cosee_light": 20}``."""
    return {name: int(number) for name, _, number in (value.rpartition("=") for value in values)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print a table and write the JSON; 1, with a line that says why, where the model cannot be asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="the project's configuration")
    parser.add_argument("--run", required=True, help="the run whose methods and model are tried")
    parser.add_argument("--limit", nargs="+", default=["10"], help="questions for each method, or METHOD=N")
    parser.add_argument("--models", type=Path, default=Path("config/models.yaml"), help="entries of models")
    parser.add_argument("--work", type=Path, default=Path(".cache/real_model"), help="folder for answers and journal")
    parser.add_argument("--truth", type=Path, help="a dataset's folder whose PDFs have the words that boxes are for")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    options = parser.parse_args(arguments)
    try:
        tried(options)
    except (ArtifactError, ConfigError, JobFailure, StageFailure) as error:
        sys.stderr.write(f"real_model: {error}\n")
        return 1
    return 0


def tried(options: argparse.Namespace) -> None:
    """Ask every method, writing the figures after each.

    Raises:
        ArtifactError, ConfigError, StageFailure: the configuration, a model's entry or a document's artifacts cannot
            be used.
        JobFailure: the model's server does not work, or does not have the model.
    """
    config = read_config(options.config)
    if options.run not in config.runs:
        raise ConfigError(f"--run: {options.config} has no run {options.run!r}; it has {', '.join(config.runs)}")
    figures: dict[str, dict[str, Any]] = {}
    every: list[tuple[Question, Prediction, list[TraceEvent]]] = []
    for method, asked in wanted(config, options.run, parse_limits(options.limit)).items():
        rows = answer(config, options.run, method, asked, options.models, options.work)
        every += rows
        figures.pop(TOGETHER, None)
        figures |= {method: measure(rows, options.truth), TOGETHER: measure(every, options.truth)}
        # After each method, since the next may take hours.
        numbers = {
            f"{name}.{label}": each[name] for label, each in figures.items() for name in NAMES if each[name] is not None
        }
        write_report(options.json, "real_model", numbers, figures)
        print(f"{method}: {figures[method]['notes']}", flush=True)
    print_table(["method", *NAMES], [[label, *(each[name] for name in NAMES)] for label, each in figures.items()])


if __name__ == "__main__":
    raise SystemExit(main())
