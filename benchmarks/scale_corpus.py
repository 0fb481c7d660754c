"""Documents and measured runs of `benchmarks.scale`: a project of many small PDFs, and what a command in it costs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from benchmarks.small_embedder import FOLDER, write_small_embedder
from cosee.artifacts import files

DATASET = "scale"
PLACES = ("harbour", "mill", "quarry", "orchard", "foundry", "school", "ferry", "market", "chapel", "bridge")
GOODS = ("barrels", "sacks", "crates", "bricks", "letters", "loaves", "planks", "lamps", "books", "sheep")
TARGET = "results/metrics_summary.json"


def make_project(folder: Path, config: dict[str, object]) -> None:
    """The workflow of this checkout in a folder of its own, with links to the sources; an existing one is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("Snakefile", "workflow", "profiles"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    write_small_embedder(folder / FOLDER)
    (folder / "config").mkdir(exist_ok=True)
    shutil.copy(ROOT / "config" / "models.yaml", folder / "config")
    (folder / "config" / "config.yaml").write_text(json.dumps(config, indent=1), encoding="utf-8")  # JSON is YAML


def doc_id_of(number: int) -> str:
    """Id of the document with this number."""
    return f"d{number:05d}"


def write_documents(folder: Path, count: int) -> None:
    """Documents 0 to ``count`` of one page with two sentences, and one question about each; existing ones stay.

    The same number gives the same bytes.
    """
    path = folder / "qa" / "questions.jsonl"
    questions = {row["doc_id"]: row for row in files.read_jsonl(path)} if path.exists() else {}
    for number in range(count):
        doc_id = doc_id_of(number)
        place, goods, amount = PLACES[number % 10], GOODS[number // 10 % 10], 100 + number
        asked = {
            "question_id": f"{doc_id}-1",
            "doc_id": doc_id,
            "question": f"How many {goods} did the {place} send away?",
            "answer": str(amount),
            "answer_format": "Int",
            "evidence_pages": [1],
        }
        questions.setdefault(doc_id, asked)
        target = folder / doc_id / "full.pdf"
        if not target.exists():
            sentences = (
                f"In the year {1700 + number % 300} the {place} sent away {amount} {goods}. "
                f"Report {number} was written down by hand and read twice by the keeper of the {place}."
            )
            _write_page(target, f"Report {number} of the {place}", sentences)
    files.write_jsonl(path, questions.values())


def count_documents(folder: Path) -> int:
    """Documents of the project."""
    data = folder / "data" / DATASET
    return sum(1 for each in data.iterdir() if (each / "full.pdf").is_file()) if data.exists() else 0


def write_long_document(path: Path, pages: int, first: int = 0) -> None:
    """A report of many pages: a chapter every tenth, sections, paragraphs, a ruled table every fifth.

    Pages are numbered from ``first`` on, and say other things for another number.
    """
    import pymupdf

    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as document:
        for number in range(first, first + pages):
            page = document.new_page(width=595, height=842)
            title = f"Chapter {number // 10 + 1}" if number % 10 == 0 else f"{number // 10 + 1}.{number % 10} Notes"
            page.insert_text((72, 80), title, fontsize=20 if number % 10 == 0 else 14, fontname="hebo")
            for part in range(5):
                words = " ".join(f"{PLACES[(number + each) % 10]} {GOODS[(part + each) % 10]}" for each in range(24))
                text = f"In {1700 + number % 300} part {part} counted {number * 7 + part}: {words}."
                page.insert_textbox((72, 100 + part * 90, 520, 185 + part * 90), text, fontsize=11)
            if number % 5 == 0:
                _draw_table(page, number)
            page.insert_text((290, 815), str(number + 1), fontsize=9)
        document.save(path, no_new_id=True, garbage=1, deflate=True)


def _draw_table(page: Any, number: int) -> None:
    for row in range(6):
        page.draw_line((72, 580 + row * 20), (472, 580 + row * 20))
        for column in range(4 if row < 5 else 0):
            cell = GOODS[column] if row == 0 else str(number + row * 10 + column)
            page.insert_text((78 + column * 100, 594 + row * 20), cell, fontsize=10)
    for column in range(5):
        page.draw_line((72 + column * 100, 580), (72 + column * 100, 680))


def copy_documents(source: Path, names: Sequence[str], target: Path, count: int) -> None:
    """``count`` copies of a dataset's documents, turn by turn, each with the questions about it."""
    by_document: dict[str, list[Any]] = {}
    for question in files.read_jsonl(source / "qa" / "questions.jsonl"):
        by_document.setdefault(question["doc_id"], []).append(question)
    rows = []
    for number in range(count):
        name, doc_id = names[number % len(names)], f"c{number:03d}"
        (target / doc_id).mkdir(parents=True)
        shutil.copy(source / name / "full.pdf", target / doc_id)
        for place, question in enumerate(by_document.get(name, ())):
            rows.append({**question, "doc_id": doc_id, "question_id": f"{doc_id}-{place}"})
    files.write_text(target / "qa" / "questions.jsonl", "".join(files.canonical_json(row) + "\n" for row in rows))


def _write_page(path: Path, title: str, sentences: str) -> None:
    import pymupdf

    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 90), title, fontsize=20, fontname="hebo")
        page.insert_textbox((72, 120, 520, 240), sentences, fontsize=11)
        document.set_metadata({"title": title})
        document.save(path, no_new_id=True)


@dataclass(frozen=True)
class Cost:
    """What a command took. ``cpu_s`` counts every process that it started and waited for."""

    status: int
    cpu_s: float
    wall_s: float
    own_cpu_s: float
    """CPU time of the command's own process, without those that it started."""
    own_rss_mb: float
    """Peak memory of the same."""
    output: str

    def jobs(self) -> dict[str, int]:
        """Rule -> number of jobs, as Snakemake's statistics say."""
        table = re.search(r"^job +count\n[- ]+\n(.*?)^total ", self.output, re.DOTALL | re.MULTILINE)
        rows = [line.split() for line in table.group(1).splitlines()] if table else []
        return {name: int(count) for name, count in rows if name != "all"}


def snakemake(folder: Path, *options: str, cores: int = 1, target: str = TARGET) -> Cost:
    """Run Snakemake in ``folder`` and measure it; with ``--until`` the target is the whole."""
    targets = () if "--until" in options else (target,)
    return measured(folder, [sys.executable, "-m", "snakemake", "--cores", str(cores), "-p", *options, *targets])


def measured(folder: Path, command: Sequence[str]) -> Cost:
    """Run a command in ``folder`` and measure it."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OMP_NUM_THREADS": "1"}
    started = time.monotonic()
    log = folder / "command.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        watch = _Watch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.stop()
    return Cost(
        process.returncode,
        usage.ru_utime + usage.ru_stime,
        time.monotonic() - started,
        watch.cpu_s,
        watch.rss_mb,
        log.read_text(encoding="utf-8", errors="replace"),
    )


class _Watch(threading.Thread):
    """Reads memory and CPU time of one process ten times a second, as long as it lives."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.cpu_s = 0.0
        self.rss_mb = 0.0
        self._proc = Path(f"/proc/{pid}")
        self._ended = threading.Event()
        self.start()

    def run(self) -> None:
        ticks = os.sysconf("SC_CLK_TCK")
        while not self._ended.wait(0.1):
            try:
                status = (self._proc / "status").read_text()
                numbers = (self._proc / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                return
            found = re.search(r"VmHWM:\s*(\d+) kB", status)
            if found:
                self.rss_mb = max(self.rss_mb, int(found.group(1)) / 1024)
                self.cpu_s = (int(numbers[11]) + int(numbers[12])) / ticks

    def stop(self) -> None:
        """End the watch."""
        self._ended.set()
        self.join()
