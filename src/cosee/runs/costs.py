"""What M4 reads of measured values: seconds and memory of stages, jobs and questions, and calls from journals.

They differ from run to run, and what is not there was not measured.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from cosee.artifacts import files
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.costs import Costs, MethodCost, StageCost
from cosee.artifacts.results.prediction import Usage
from cosee.evaluation.costs import Measured, method_cost, stage_cost
from cosee.evaluation.results import QuestionResult
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths

JOBS = Path("measured")
"""Where the scheduler measures jobs: ``<dataset or run>/<stage>....jsonl``."""


def run_costs(paths: Paths, run: str, datasets: Sequence[str], results: dict[str, list[QuestionResult]]) -> Costs:
    """The costs of a run's stages and methods."""
    present = {dataset: list(current(load_sheet(paths.sheet(dataset)))) for dataset in datasets}
    for dataset in datasets:  # a question over several stands in the place of a document
        present[dataset] += [each.place for each in load_questions(paths.question_file(dataset)) if not each.doc_id]
    stages = {stage: _document_stage(paths, stage, present) for stage in (*DATA_STAGES, *INDEX_STAGES)}
    for stage in ("judge", "evidence"):
        journal = paths.results / run / "journal" / stage
        if journal.is_dir():
            jobs = list(_jobs(run, f"{stage}.*.jsonl"))
            stages[stage] = stage_cost([], jobs, _usages(sorted(journal.glob("*.jsonl"))))
    return Costs(
        run=run,
        stages={name: cost for name, cost in stages.items() if cost.documents or cost.jobs},
        methods={method: _method(paths, run, method, present, rows) for method, rows in results.items()},
    )


def _method(
    paths: Paths, run: str, method: str, present: Mapping[str, Sequence[str]], results: Sequence[QuestionResult]
) -> MethodCost:
    seconds: list[float] = []
    parts: dict[str, list[float]] = {}
    places = Paths(paths.data, paths.indexes, paths.results, run, method)
    measured = list(_documents(places, ANSWER_STAGE, present))
    for dataset, doc_ids in present.items():
        for doc_id in doc_ids:
            row = _read(f"{paths.results}/{run}/measured/answers/{method}/{dataset}/{doc_id}.json")
            seconds += [float(value) for value in row.get("seconds", {}).values()]
            for question in row.get("parts", {}).values():
                for name, values in question.items():
                    parts.setdefault(name, []).extend(map(float, values))
    jobs = [row for dataset in present for row in _jobs(run, f"{ANSWER_STAGE}.{method}.{dataset}.*.jsonl")]
    peaks = [row.peak_rss_mb for row in (*measured, *jobs)]
    return method_cost(results, seconds, parts, peak_rss_mb=max(peaks, default=None))


def _document_stage(paths: Paths, stage: str, present: Mapping[str, Sequence[str]]) -> StageCost:
    root = paths.data if stage in DATA_STAGES else paths.indexes
    journals = [path for dataset in present for path in sorted((root / dataset / ".journal" / stage).glob("*.jsonl"))]
    jobs = [row for dataset in present for row in _jobs(dataset, f"{stage}.*.jsonl")]
    return stage_cost(list(_documents(paths, stage, present)), jobs, _usages(journals))


def _documents(paths: Paths, stage: str, present: Mapping[str, Sequence[str]]) -> Iterator[Measured]:
    for dataset, doc_ids in present.items():
        pattern = paths.measured(stage, paths.folder(dataset, "{}")).as_posix()
        for doc_id in doc_ids:
            row = _read(doc_id.join(pattern.rsplit("{}", 1)))
            if row:
                yield Measured(_number(row.get("seconds")), _number(row.get("peak_rss_mb")))


def _jobs(group: str, pattern: str) -> Iterator[Measured]:
    """The scheduler's benchmark files; a value that it could not measure is ``NA`` and counts as 0."""
    for path in sorted((JOBS / group).glob(pattern)):
        for row in _rows(path):
            seconds, memory, cpu = (_number(row.get(key)) for key in ("s", "max_rss", "cpu_time"))
            yield Measured(seconds, memory, cpu)


def _usages(journals: Sequence[Path]) -> list[Usage]:
    usages = []
    for path in journals:
        for row in _rows(path):
            usage = row.get("generation", {}).get("usage", {})
            usages.append(Usage(**{name: int(usage.get(name) or 0) for name in Usage.model_fields}))
    return usages


def _read(path: str) -> dict[str, Any]:
    """The file's mapping, read without a file object, since there are several for each document; empty where it cannot
    be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return {}
    try:
        data = os.read(descriptor, os.fstat(descriptor).st_size)
        value = from_json(data)
    except (OSError, ValueError):
        return {}
    finally:
        os.close(descriptor)
    return value if isinstance(value, dict) else {}


def _rows(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file of lines; a torn line is left out."""
    rows = []
    for line in files.read_bytes(path).splitlines():
        try:
            rows.append(files.parse_json(line, str(path)))
        except ArtifactError:
            continue
    return [row for row in rows if isinstance(row, dict)]


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0
