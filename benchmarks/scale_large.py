"""What a page of a long document costs by stage: the part `large` of `benchmarks.scale`.

Documents of true length are made, each with other words, and go through the workflow stage by stage with the settings
that a run has by default, nothing cached. CPU seconds are those of a stage's jobs with all their processes, without the
scheduler.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.common import empty_cache
from benchmarks.scale_corpus import DATASET, Cost, make_project, snakemake, write_long_document
from cosee.artifacts import files

STAGES = ("adapt", "enhance", "build", "index", "questions", "answer")
PAGES = 57
"""Pages of a document."""
CONFIG: dict[str, Any] = {
    "datasets": [DATASET],
    "evaluate": {"bootstrap": 50},
    "runs": {DATASET: {"datasets": [DATASET], "methods": ["page_rag"]}},
}
ROOTS = ("data", "indexes", "results")


def large(folder: Path, documents: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures of ``documents`` documents of 57 pages with one question each, and what they were made of.

    ``cpu_s_a_page.<stage>`` (with the start of its job), ``bytes_a_page.<root>``, ``files_a_document``,
    ``rss_mb.<stage>`` of M0 to M2 (the most of any document's process).
    """
    make_project(folder, CONFIG)
    data = folder / "data" / DATASET
    questions = []
    for number in range(documents):
        doc_id = f"d{number:03d}"
        write_long_document(data / doc_id / "full.pdf", PAGES, first=1000 * (number + 1))
        asked = f"What was counted in part 3 of {1700 + number}?"
        questions.append({"question_id": f"{doc_id}-1", "doc_id": doc_id, "question": asked})
    rows = "".join(files.canonical_json({**each, "answer": "1", "answer_format": "Int"}) + "\n" for each in questions)
    files.write_text(data / "qa" / "questions.jsonl", rows)
    pages = PAGES * documents
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {"documents": documents, "pages": pages}
    for stage in STAGES:
        with empty_cache(folder):
            cost = _checked(snakemake(folder, "--until", stage))
        spent = cost.cpu_s - cost.own_cpu_s
        figures[f"cpu_s_a_page.{stage}"] = spent / pages
        detail[stage] = {"cpu_s": round(spent, 2), "scheduler_cpu_s": round(cost.own_cpu_s, 2)}
        if peaks := _peaks(folder, stage):
            figures[f"rss_mb.{stage}"] = max(peaks)
    for root in ROOTS:
        found = [path for path in (folder / root).rglob("*") if path.is_file()]
        figures[f"bytes_a_page.{root}"] = sum(path.stat().st_size for path in found) / pages
        figures[f"files_a_document.{root}"] = len(found) / documents
    figures["files_a_document"] = sum(figures[f"files_a_document.{root}"] for root in ROOTS)
    return figures, detail


def _checked(cost: Cost) -> Cost:
    if cost.status:
        raise SystemExit(f"a stage over long documents ended with status {cost.status}:\n{cost.output[-3000:]}")
    return cost


def _peaks(folder: Path, stage: str) -> list[float]:
    found = [path for root in ROOTS for path in (folder / root).rglob(f"measured/{stage}.json")]
    return [float(files.read_json(path)["peak_rss_mb"]) for path in found]
