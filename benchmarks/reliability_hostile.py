"""Broken and nasty PDFs between good documents: does the run end, is each bad file one clear row, do the good ones
notice?

The same workflow runs twice in a work folder, over the good documents alone and over both, up to the index; the folder
has ``files/`` with the PDFs.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.common import ROOT, print_table
from benchmarks.reliability_parts import Measured, Unmeasured
from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.ledger import LedgerRow

GOOD = ("atlas", "harbor", "tidal")
HANG_SECONDS = 5400
CONFIG = {
    "shard_pages": 3000,
    "limits": {"seconds": 30, "memory_mb": 3000},
    "adapt": {"ocr": "none"},
    "index": {"embedder": "hashing"},
    "failure_budget": 1.0,
}


def measure(options: argparse.Namespace) -> Measured:
    """Run both corpora and compare them."""
    if options.hostile is None:
        raise Unmeasured("needs --hostile FOLDER with files/*.pdf")
    work = options.work / "hostile"
    bad = sorted(path for path in (options.hostile / "files").iterdir() if path.is_file())[: options.limit]
    alone = _run(work / "alone", [])
    mixed = _run(work / "mixed", bad)
    rows = mixed.rows()
    names = {f"{number:04d}_{_safe(path.stem)}": path.name for number, path in enumerate(bad)}
    outcomes = Counter(
        f"{rows[doc_id].status} {rows[doc_id].reason or ''}".strip() for doc_id in names if doc_id in rows
    )
    missing = sorted(name for doc_id, name in names.items() if doc_id not in rows)
    unexplained = sorted(doc_id for doc_id in names if doc_id in rows and _unexplained(rows[doc_id]))
    different = _different(alone.folder, mixed.folder)
    print_table(["outcome", "files"], sorted(outcomes.items(), key=lambda item: -item[1]))
    print(f"\n{len(bad)} files in {mixed.seconds:.0f} s; exit status {mixed.status}; rows missing: {len(missing)};")
    print(f"failures without reason: {len(unexplained)}; artifacts of good documents that differ: {len(different)}")
    figures = {
        "hostile_files": len(bad),
        "hostile_crashes": int(mixed.status not in (0, 3)) + len(missing),
        "hostile_hangs": int(mixed.status == -1),
        "hostile_unexplained": len(unexplained),
        "good_documents_changed": len(different),
    }
    detail = {"outcomes": dict(outcomes), "missing": missing, "unexplained": unexplained, "different": different[:20]}
    return Measured(figures, detail, kept=not any(figures[name] for name in figures if name != "hostile_files"))


class Finished:
    """A workflow that ended, or was stopped after ``HANG_SECONDS`` (status -1)."""

    def __init__(self, folder: Path, status: int, seconds: float) -> None:
        self.folder, self.status, self.seconds = folder, status, seconds

    def rows(self) -> dict[str, LedgerRow]:
        """doc_id -> its row in the last ledger that has one which is not 'skipped'."""
        found: dict[str, LedgerRow] = {}
        for root, stage in (("data", "adapt"), ("data", "enhance"), ("data", "build"), ("indexes", "index")):
            for ledger in sorted((self.folder / root / "mixed" / ".ledger").glob(f"{stage}.*.jsonl")):
                for row in load_rows(LedgerRow, ledger):
                    worse = row.status != "ok" and found.get(row.doc_id, row).status == "ok"
                    if row.doc_id not in found or worse:
                        found[row.doc_id] = row
        return found


def _run(folder: Path, bad: list[Path]) -> Finished:
    shutil.rmtree(folder, ignore_errors=True)
    for doc_id in GOOD:
        _place(ROOT / "data" / "demo" / doc_id / "full.pdf", folder / "data" / "mixed" / doc_id)
    for number, path in enumerate(bad):
        _place(path, folder / "data" / "mixed" / f"{number:04d}_{_safe(path.stem)}")
    config = {**CONFIG, "datasets": ["mixed"], "runs": {"mixed": {"datasets": ["mixed"], "methods": ["constant"]}}}
    files.write_text(folder / "config.yaml", json.dumps(config))
    (folder / "config").mkdir()
    shutil.copy(ROOT / "config" / "models.yaml", folder / "config")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"]
    command += ["--configfile", "config.yaml", "--quiet", "all", "--", "results/metrics_summary.json"]
    started = time.monotonic()
    try:
        status = subprocess.run(command, cwd=folder, timeout=HANG_SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        status = -1
    return Finished(folder, status, time.monotonic() - started)


def _place(pdf: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    shutil.copy(pdf, folder / "full.pdf")


def _safe(stem: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem)[:60]


def _unexplained(row: LedgerRow) -> bool:
    return row.status != "ok" and not (row.reason and row.message)


def _different(alone: Path, mixed: Path) -> list[str]:
    """Artifacts of the good documents that are not equal in both runs."""
    found = []
    for root in ("data", "indexes"):
        for doc_id in GOOD:
            base = alone / root / "mixed" / doc_id
            for path in sorted(base.rglob("*")):
                relative = path.relative_to(alone)
                if not path.is_file() or {".stamps", "measured"} & set(relative.parts):
                    continue
                other = mixed / relative
                if not other.is_file() or other.read_bytes() != path.read_bytes():
                    found.append(relative.as_posix())
    return found
