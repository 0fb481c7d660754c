"""Measures documents in child processes, each once for the code and the bytes that decide its figures."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, progress
from benchmarks.regressions_compare import DIGITS, Result
from cosee.artifacts import files
from cosee.pipeline.code_closure import SOURCE_ROOT, closure, imported
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.stage import StageResult

LIMITS = Limits(seconds=3600.0, memory_mb=16000)
"""Of one PDF in all parts; reading it has bounds of its own."""
BENCHMARKS = "benchmarks"


@dataclass(frozen=True)
class Item:
    """One document of one part, and how it is measured."""

    part: str
    document: str
    pdf: Path
    truth: Any
    """What decides the figures beside the PDF and the code, as JSON."""
    measure: Callable[[], Result]
    questions: int | None = None
    """How many questions its figures are means over; None where they are not."""

    @property
    def name(self) -> tuple[str, str]:
        """Part and document."""
        return self.part, self.document


def code_digest(modules: Sequence[str], root: Path = ROOT) -> str:
    """One hash over ``code_files``."""
    found = sorted(code_files(modules, root).items())
    return files.sha256_value([[name, files.sha256_file(path)] for name, path in found])


def code_files(modules: Sequence[str], root: Path = ROOT) -> dict[str, Path]:
    """Files of modules of ``benchmarks`` and of all that they import, of ``benchmarks`` and of ``cosee``, by name."""
    waiting, own, found = list(modules), set[Path](), set[Path]()
    while waiting:
        path = root.joinpath(*waiting.pop().split(".")).with_suffix(".py")
        if path in own or not path.is_file():
            continue
        own.add(path)
        source = path.read_text(encoding="utf-8")
        waiting.extend(_benchmarks_in(source))
        found |= {each for module in imported(source) for each in closure(module)}
    library = {path.relative_to(SOURCE_ROOT).as_posix(): path for path in found}
    return {path.relative_to(root).as_posix(): path for path in own} | library


def _benchmarks_in(source: str) -> Iterator[str]:
    """Modules of ``benchmarks`` that a module's text imports; of ``from benchmarks import x`` only ``x``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == BENCHMARKS:
            yield from (f"{BENCHMARKS}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(BENCHMARKS + "."):
            yield str(node.module)


@dataclass
class Measurements:
    """What one call gives."""

    results: dict[tuple[str, str], Result] = field(default_factory=dict)
    """By part and document."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Part -> seconds spent in its documents, two at a time counted twice; nothing for what was kept."""


def measure_all(items: Sequence[Item], code: Mapping[str, str], work: Path, jobs: int) -> Measurements:
    """Measure what was not kept by an earlier call. ``code`` is part -> digest of its code.

    A PDF is measured in all parts by one child process, ``jobs`` PDFs at a time, so that no two of them read the same
    file. Where a child dies, the document that it was at has a failure and no figures, and another child measures the
    others. A failure of that kind is not kept: the next call tries again.
    """
    digests = {pdf: files.sha256_file(pdf) for pdf in {item.pdf for item in items}}
    places = {item.name: _place(work, item, [code[item.part], digests[item.pdf], item.truth]) for item in items}
    found = Measurements()
    waiting: dict[str, list[Item]] = {}
    for item in items:
        kept = _read(places[item.name])
        if kept is not None and kept["lasting"]:
            found.results[item.name] = Result(**kept["result"])
        else:
            places[item.name].unlink(missing_ok=True)
            waiting.setdefault(digests[item.pdf], []).append(item)
    total = sum(map(len, waiting.values()))
    while waiting:
        largest = sorted(waiting.items(), key=lambda entry: (-entry[1][0].pdf.stat().st_size, entry[0]))
        tasks = [(digest, partial(_measure_pdf, members, places)) for digest, members in largest]
        for outcome in run_isolated(tasks, LIMITS, jobs):
            members = waiting.pop(outcome.key)
            left = _collect(members, places, found)
            if left:
                failure = outcome.failure
                why = f"{failure.reason}: {failure.message}" if failure else "it gave no result"
                found.results[left[0].name] = Result({}, failure=why)
            if left[1:]:
                waiting[outcome.key] = left[1:]
            progress("measured", total - sum(map(len, waiting.values())), total, members[0].pdf.name)
    progress("", 0, 0, "")
    return found


def _collect(members: Sequence[Item], places: Mapping[tuple[str, str], Path], found: Measurements) -> list[Item]:
    """Take in what a child wrote; what it did not come to is given back, that at which it died first."""
    left = []
    for item in members:
        row = _read(places[item.name])
        if row is None:
            left.append(item)
        else:
            found.results[item.name] = Result(**row["result"])
            found.seconds[item.part] = found.seconds.get(item.part, 0.0) + row["seconds"]
    return left


def _measure_pdf(members: Sequence[Item], places: Mapping[tuple[str, str], Path]) -> StageResult:
    """In a child: each document's result in its place."""
    for item in members:
        started = time.monotonic()
        lasting = True
        try:
            result = item.measure()
        except Exception as error:  # one bad document must not stop the others; its row says why
            result, lasting = Result({}, failure=f"{type(error).__name__}: {error}"[:500]), False
        figures = {name: round(value, DIGITS) for name, value in result.figures.items()}
        row = {"result": {**asdict(result), "figures": figures}, "lasting": lasting}
        files.write_json(places[item.name], {**row, "seconds": round(time.monotonic() - started, 3)})
    return StageResult([])


def _place(work: Path, item: Item, key: Sequence[Any]) -> Path:
    """Where a result is kept: its name holds the digest of all that decides it."""
    name = f"{files.safe_name(item.document)}.{files.sha256_value(key)[:16]}.json"
    return work / "figures" / item.part / name


def _read(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    row: dict[str, Any] = files.read_json(path)
    return row
