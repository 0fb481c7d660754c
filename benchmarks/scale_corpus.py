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

from benchmarks.common import ROOT
from cosee.artifacts import files

DATASET = "scale"
PLACES = ("harbour", "mill", "quarry", "orchard", "foundry", "school", "ferry", "market", "chapel", "bridge")
GOODS = ("barrels", "sacks", "crates", "bricks", "letters", "loaves", "planks", "lamps", "books", "sheep")
TARGET = "results/metrics_summary.json"


def make_project(folder: Path, config: dict[str, object]) -> None:
    """The workflow of this checkout in a folder of its own, with links to the sources; an existing one is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("Snakefile", "workflow", "profiles", "environment.yml"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    (folder / "config").mkdir(exist_ok=True)
    shutil.copy(ROOT / "config" / "models.yaml", folder / "config")
    (folder / "config" / "config.yaml").write_text(json.dumps(config, indent=1), encoding="utf-8")  # JSON is YAML


def write_documents(folder: Path, count: int, first: int = 0) -> None:
    """Documents ``first`` to ``count`` of one page with two sentences, and one question about each; existing ones stay.

    The same number gives the same bytes.
    """
    questions = []
    for number in range(count):
        doc_id = f"d{number:05d}"
        place, goods, amount = PLACES[number % 10], GOODS[number // 10 % 10], 100 + number
        questions.append(
            {
                "question_id": f"{doc_id}-1",
                "doc_id": doc_id,
                "question": f"How many {goods} did the {place} send away?",
                "answer": str(amount),
                "answer_format": "Int",
                "evidence_pages": [1],
            }
        )
        target = folder / doc_id / "full.pdf"
        if number >= first and not target.exists():
            sentences = (
                f"In the year {1700 + number % 300} the {place} sent away {amount} {goods}. "
                f"Report {number} was written down by hand and read twice by the keeper of the {place}."
            )
            _write_page(target, f"Report {number} of the {place}", sentences)
    files.write_text(
        folder / "qa" / "questions.jsonl", "".join(files.canonical_json(each) + "\n" for each in questions)
    )


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
    own_rss_mb: float
    """Peak memory of the command's own process, without those that it started."""
    output: str

    def jobs(self) -> dict[str, int]:
        """Rule -> number of jobs, as Snakemake's statistics say."""
        table = re.search(r"^job +count\n[- ]+\n(.*?)^total ", self.output, re.DOTALL | re.MULTILINE)
        rows = [line.split() for line in table.group(1).splitlines()] if table else []
        return {name: int(count) for name, count in rows if name != "all"}


def snakemake(folder: Path, *options: str, cores: int = 1) -> Cost:
    """Run Snakemake in ``folder`` and measure it."""
    return measured(folder, [sys.executable, "-m", "snakemake", "--cores", str(cores), *options, TARGET])


def measured(folder: Path, command: Sequence[str]) -> Cost:
    """Run a command in ``folder`` and measure it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    started = time.monotonic()
    log = folder / "command.log"
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        watch = _PeakMemory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        process.returncode,
        usage.ru_utime + usage.ru_stime,
        time.monotonic() - started,
        watch.stop(),
        log.read_text(encoding="utf-8", errors="replace"),
    )


class _PeakMemory(threading.Thread):
    """Reads the peak memory of one process ten times a second, as long as it lives."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._status = Path(f"/proc/{pid}/status")
        self._ended = threading.Event()
        self._peak_kb = 0
        self.start()

    def run(self) -> None:
        while not self._ended.wait(0.1):
            try:
                found = re.search(r"VmHWM:\s*(\d+) kB", self._status.read_text())
            except OSError:
                return
            if found:
                self._peak_kb = max(self._peak_kb, int(found.group(1)))

    def stop(self) -> float:
        """End the watch; the peak in MB."""
        self._ended.set()
        self.join()
        return self._peak_kb / 1024
