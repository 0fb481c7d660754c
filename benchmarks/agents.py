"""What the agents of a finished run did: rounds, actions, plans, tools, cited pages, and where answers differ.

``python -m benchmarks.agents --run results/NAME --data data --json OUT`` reads predictions and traces, asks nothing
again, and counts. ``differs`` is the share of questions whose answer is another than that of ``page_rag`` (or of the
first method, where there is none).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import print_table, write_report
from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent, load_trace

ACTIONS = ("INSPECT", "LINK", "HYPOTHESIZE", "REVISE")
BASELINE = "page_rag"


def main() -> int:
    """Count, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--run", type=Path, required=True, help="a run's folder below results/")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the datasets")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    options = parser.parse_args()
    rows = {path.stem: load_rows(Prediction, path) for path in sorted((options.run / "predictions").glob("*.jsonl"))}
    if not rows:
        parser.error(f"{options.run}: holds no predictions; run the workflow first")
    other = rows.get(BASELINE) or next(iter(rows.values()))
    answers = {(row.dataset, row.question_id): row.answer for row in other}
    pages = _page_counts(options.data, other)
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {}
    for method, predictions in rows.items():
        counts = _counts(options.run, method, predictions)
        detail[method] = counts
        values = {**_shares(predictions, answers, pages), **_activity(counts, len(predictions))}
        figures |= {f"{name}.{method}": value for name, value in values.items()}
    names = list(dict.fromkeys(name.split(".")[0] for name in figures))
    print_table(["method", *names], [[m, *(figures.get(f"{name}.{m}") for name in names)] for m in rows])
    print()
    print_table(["method", *ACTIONS], [[m, *(detail[m]["actions"].get(name, 0) for name in ACTIONS)] for m in rows])
    write_report(options.json, "agents", figures, detail)
    return 0


def _page_counts(data: Path, rows: Sequence[Prediction]) -> dict[tuple[str, str], int]:
    """(dataset, document) -> its pages; documents without a tree have none."""
    found: dict[tuple[str, str], int] = {}
    for key in sorted({(row.dataset, row.doc_id) for row in rows}):
        path = data / key[0] / key[1] / "doctree.mm.json"
        found[key] = len(DocTree.load(path).pages) if path.exists() else 0
    return found


def _shares(
    rows: Sequence[Prediction], answers: dict[tuple[str, str], str], pages: dict[tuple[str, str], int]
) -> dict[str, float]:
    support = [(row, piece) for row in rows for piece in row.support]
    quotes = [piece for _, piece in support if piece.quote]
    real = sum(1 <= piece.page <= pages[row.dataset, row.doc_id] for row, piece in support)
    values = {
        "questions": float(len(rows)),
        "failed": float(sum(row.status == "failed" for row in rows)),
        "differs": _mean([row.answer != answers.get((row.dataset, row.question_id)) for row in rows]),
        "calls": _mean([row.usage.calls for row in rows]),
        "tokens": _mean([row.usage.tokens_in + row.usage.tokens_out for row in rows]),
    }
    if support:
        values["cited_pages_exist"] = real / len(support)
    if quotes:
        values["quotes_verified"] = _mean([piece.quote_verified for piece in quotes])
    return values


def _counts(run: Path, method: str, rows: Sequence[Prediction]) -> dict[str, Any]:
    """Actions, tools and exit reasons of a method, and how many of its questions took several rounds or plans."""
    actions: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    several_rounds = replanned = 0
    for row in rows:
        events = list(_events(run, method, row))
        actions.update(str(event.data.get("action")) for event in events if event.type == "action")
        tools.update(
            str(event.data.get("tool")) for event in events if event.type == "decision" and "tool" in event.data
        )
        several_rounds += max((event.step for event in events), default=0) > 1
        replanned += any(event.type == "replan" for event in events)
    return {
        "actions": dict(sorted(actions.items())),
        "tools": dict(sorted(tools.items())),
        "exit_reasons": dict(sorted(Counter(row.exit_reason for row in rows).items())),
        "several_rounds": several_rounds,
        "replanned": replanned,
    }


def _events(run: Path, method: str, row: Prediction) -> Iterator[TraceEvent]:
    path = run / "traces" / method / row.dataset / f"{files.safe_name(row.question_id)}.ndjson"
    yield from load_trace(path) if path.exists() else ()


def _activity(counts: dict[str, Any], questions: int) -> dict[str, float]:
    values = {}
    if counts["actions"]:
        values["several_rounds"] = counts["several_rounds"] / questions
    if counts["replanned"]:
        values["replanned"] = counts["replanned"] / questions
    return values


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
