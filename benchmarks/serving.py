"""How busy a server is kept, and what its faults do: the answer stage against a server on a real socket.

``python -m benchmarks.serving --json OUT``. 300 questions of 10 made documents are answered in one job by each method.
``busy`` is the mean of calls in a slot over the slots that the questions not yet answered can fill, ``wall_over_ideal``
the seconds from the first call to the last reply over those of all calls divided by the slots; ``job_s`` is the whole
job with its start, ``cpu_ms`` its CPU time a question. ``page_rag_pictures`` shows five pages a question. Each fault is
met by every tenth request, or ends the server after 50 replies.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, print_table, write_report
from benchmarks.doctree_read import read_document
from benchmarks.prepare import index_document
from benchmarks.scale_corpus import GOODS, PLACES, write_long_document
from benchmarks.serving_server import FAULTS, MODEL, Service
from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.code_closure import code_sha256
from cosee.pipeline.locks import locked
from cosee.pipeline.paths import Paths
from cosee.pipeline.shards import sync_dataset
from cosee.registry import TOOLS

DATASET, RUN = "serving", "serving"
METHODS = ("page_rag", "chunk_rag", "self_consistency", "cosee", "navigator", "decision")
PICTURES = "page_rag_pictures"
DIES = ("dies_and_returns", "never_returns")
DIES_AFTER, AWAY_S = 50, 30.0
WIDTH = {"self_consistency": 3}
"""Calls that a question makes at once, where these are more than one."""


@dataclass(frozen=True)
class Ran:
    """A job: its exit status, and what the server saw of it."""

    status: int
    job_s: float
    cpu_s: float
    seen: dict[str, Any]
    rows: list[Prediction]


def make_corpus(folder: Path, documents: int, questions: int) -> None:
    """Reports of 20 pages and more with vectors, and questions about them, each with words of its own."""
    rows = []
    for number in range(documents):
        doc_id = f"d{number:02d}"
        write_long_document(folder / "data" / DATASET / doc_id / "full.pdf", 20 + number)
        for each in range(questions // documents):
            place, goods = PLACES[(each + number) % 10], GOODS[each // 3 % 10]
            text = f"How many {goods} of the {place} did part {each % 5} of {1700 + each} count in report {number}?"
            rows.append({"question_id": f"{doc_id}-{each:02d}", "doc_id": doc_id, "question": text})
    target = folder / "data" / DATASET / "qa" / "questions.jsonl"
    files.write_text(target, "".join(files.canonical_json(row) + "\n" for row in rows))


def prepare(folder: Path) -> str:
    """M0 to M2 of what is not indexed yet; the name of the one shard."""
    paths = Paths(folder / "data", folder / "indexes", folder / "results")
    (shard,) = sync_dataset(paths, DATASET, 1_000_000)
    for document in sorted((folder / "data" / DATASET).glob("d[0-9]*")):
        doc = paths.folder(DATASET, document.name)
        if not (doc.index / "questions.meta.json").exists():
            read_document(doc, AdaptSettings())
            index_document(doc, IndexSettings())
    return shard


@contextmanager
def server(service: Service) -> Iterator[str]:
    """A running server; its address."""
    command = [sys.executable, "-m", "benchmarks.serving_server", json.dumps(asdict(service))]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            time.sleep(0.5)  # the report is written every 0.2 s
            process.kill()


def job(folder: Path, shard: str, strategy: str, entry: dict[str, Any], report: Path, *, fresh: bool = True) -> Ran:
    """The answer stage over the shard in a process of its own, as the workflow runs it."""
    files.write_json(
        folder / "config" / "models.yaml", {"models": {MODEL: {"kind": "openai", "model": MODEL, **entry}}}
    )
    results = folder / "results"
    if fresh:
        shutil.rmtree(results, ignore_errors=True)
    settings = {"run": RUN, "method": {"strategy": strategy}, "model": MODEL, "retrieval": {}, "budget": {}, "seed": 0}
    command = [
        sys.executable, "-m", "cosee.stages.answer", "--die-with-parent", "--dataset", DATASET, "--shard", shard,
        "--run", RUN, "--method", strategy, "--settings", json.dumps(settings),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OMP_NUM_THREADS": "1"}
    started = time.monotonic()
    with open(folder / f"{report.stem}.log", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - started
    time.sleep(0.5)
    rows = [
        row
        for path in sorted((results / RUN / "answers" / strategy / DATASET).glob("*.jsonl"))
        for row in load_rows(Prediction, path)
    ]
    return Ran(process.returncode, wall, usage.ru_utime + usage.ru_stime, files.read_json(report), rows)


def figures_of(ran: Ran, slots: int, width: int) -> dict[str, float]:
    """How busy the server was; see the module's docstring."""
    calls = [(begun, ended) for _, begun, ended in ran.seen["service"]]
    served = sum(ended - begun for begun, ended in calls)
    last: dict[str, float] = {}
    for question, _, ended in ran.seen["service"]:
        last[question] = max(ended, last.get(question, 0.0))
    room, before, first = 0.0, 0.0, min(begun for begun, _ in calls)
    for answered, ended in enumerate(sorted(last.values())):
        room += (ended - max(before, first)) * min(slots, width * (len(last) - answered))
        before = ended
    questions = len(ran.rows)
    return {
        "busy": served / room,
        "wall_over_ideal": (before - first) / (served / slots),
        "questions_a_second": questions / (before - first),
        "reply_s": served / len(calls),
        "calls": len(calls) / questions,
        "cpu_ms": 1_000 * ran.cpu_s / questions,
        "job_s": ran.job_s,
        "failed": float(sum(row.status == "failed" for row in ran.rows)),
    }


def fault_figures(ran: Ran, folder: Path) -> dict[str, float]:
    """What came of a fault."""
    journals = (folder / "results" / RUN / "journal").rglob("*.jsonl")
    return {
        "status": float(ran.status),
        "answered": float(sum(row.status != "failed" for row in ran.rows)),
        "failed": float(sum(row.status == "failed" for row in ran.rows)),
        "journaled": float(sum(path.read_bytes().count(b"\n") for path in journals)),
        "requests": float(ran.seen["requests"]),
        "faults": float(ran.seen["faults"]),
        "asked_again": float(ran.seen["asked_again"]),
        "job_s": ran.job_s,
    }


class Bench:
    """The corpus and the options of all jobs."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        code = code_sha256("cosee.stages.questions")[:12]
        self.folder = options.work / "serving" / f"{code}-{options.documents}-{options.questions}"
        make_corpus(self.folder, options.documents, options.questions)
        self.shard = prepare(self.folder)
        # What needs something to point at would only be refused.
        choices = {"tool": list(TOOLS.names()), "action": ["INSPECT", "HYPOTHESIZE", "ANSWER", "REPLAN"]}
        self.service = Service("", slots=options.slots, seconds=options.seconds, choices=choices)

    def _service(self, name: str, **fields: Any) -> Service:
        report = self.folder / f"{name}.json"
        report.unlink(missing_ok=True)
        return Service(**{**asdict(self.service), "report": str(report), **fields})

    def _entry(self, address: str, **fields: Any) -> dict[str, Any]:
        entry = {"base_url": address, "concurrency": self.options.slots, "sees_images": False, "max_context": 131_072}
        return {**entry, **fields}

    def busy(self, name: str) -> dict[str, float]:
        """The figures of one method."""
        strategy = "page_rag" if name == PICTURES else name
        service = self._service(name)
        with server(service) as address:
            entry = self._entry(address, sees_images=name == PICTURES)
            ran = job(self.folder, self.shard, strategy, entry, Path(service.report))
        return figures_of(ran, self.options.slots, WIDTH.get(name, 1))

    def fault(self, name: str) -> dict[str, float]:
        """What came of one fault."""
        service = self._service(name, fault=name)
        with server(service) as address:
            ran = job(self.folder, self.shard, "page_rag", self._entry(address, timeout=10), Path(service.report))
        return fault_figures(ran, self.folder)

    def death(self, name: str) -> dict[str, float]:
        """What came of a server that dies; of one that stays away also what the same command does when it is back."""
        away = AWAY_S if name == DIES[0] else None
        service = self._service(name, dies_after=DIES_AFTER, returns_after=away)
        with server(service) as address:
            entry = self._entry(address, patience=self.options.patience if away is None else 600.0)
            ran = job(self.folder, self.shard, "page_rag", entry, Path(service.report))
        figures = fault_figures(ran, self.folder)
        if away is None:
            service = self._service(f"{name}_later")
            with server(service) as address:
                ran = job(self.folder, self.shard, "page_rag", self._entry(address), Path(service.report), fresh=False)
            later = fault_figures(ran, self.folder)
            figures |= {f"later_{key}": later[key] for key in ("status", "answered", "requests")}
        return figures


def _show(figures: dict[str, dict[str, float]]) -> None:
    columns = list(dict.fromkeys(key for values in figures.values() for key in values))
    print_table(["", *columns], [[name, *(values.get(key) for key in columns)] for name, values in figures.items()])
    print()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--methods", nargs="*", default=[*METHODS, PICTURES], help="default: all")
    parser.add_argument("--faults", nargs="*", default=[*FAULTS, *DIES], help="default: all")
    parser.add_argument("--slots", type=int, default=32, help="of the server, and the entry's concurrency")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a reply, on average")
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds, for a server that stays away")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for artifacts")
    options = parser.parse_args(argv)
    busy: dict[str, dict[str, float]] = {}
    faults: dict[str, dict[str, float]] = {}
    with locked(options.work / "serving" / "lock"):  # two at a time would write into one folder
        bench = Bench(options)
        for name in options.methods:
            busy[name] = bench.busy(name)
            _show({name: busy[name]})
        for name in options.faults:
            faults[name] = bench.death(name) if name in DIES else bench.fault(name)
            _show({name: faults[name]})
    flat = {
        f"{key}.{name}": value for table in (busy, faults) for name, row in table.items() for key, value in row.items()
    }
    write_report(options.json, "serving", flat, {"slots": options.slots, "seconds": options.seconds})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
