"""Broken and nasty PDFs between good documents: does the run end, is each bad file one clear row, do the good ones
notice?

The same workflow runs twice in a work folder, over the good documents alone and over both, up to the index. The folder
has ``files/`` with the PDFs and may have ``list.jsonl`` with the passwords that open some of them, which become the
dataset's sheet; the damaged and the oversized ones of the project's own cases are added.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.common import ROOT, print_table
from benchmarks.reliability_parts import Measured, Unmeasured
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder
from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.passwords import SHEET, write_passwords
from cosee.artifacts.ledger import LedgerRow

GOOD = ("atlas", "harbor", "tidal")
CASES = ("at-*", "dm-*", "gm-*", "rs-*")
HANG_SECONDS = 5400
CONFIG = {
    "shard_pages": 3000,
    "limits": {"seconds": 30, "memory_mb": 3000},
    "adapt": {"ocr": "none"},
    "index": INDEX,
    "failure_budget": 1.0,
}
LOCKED = ("needs_password", "wrong_password")


def measure(options: argparse.Namespace) -> Measured:
    """Run both corpora and compare them."""
    if not (options.hostile / "files").is_dir():
        raise Unmeasured(f"{options.hostile / 'files'} is not there; name another folder with --hostile")
    work = options.work / "hostile"
    bad, passwords = _bad_files(options.hostile, options.limit)
    alone = _run(work / "alone", {}, {})
    mixed = _run(work / "mixed", bad, passwords)
    rows = mixed.rows()
    told = {doc_id: rows[doc_id] for doc_id in bad if doc_id in rows}
    outcomes = Counter(f"{row.status} {row.reason or ''}".strip() for row in told.values())
    missing = sorted(bad[doc_id].name for doc_id in bad if doc_id not in rows)
    unexplained = sorted(doc_id for doc_id, row in told.items() if _unexplained(row))
    faults = sorted(doc_id for doc_id, row in told.items() if (row.reason or "").startswith("error"))
    locked = sorted(doc_id for doc_id in passwords if doc_id in told and told[doc_id].reason in LOCKED)
    different = _different(alone.folder, mixed.folder)
    print_table(["outcome", "files"], sorted(outcomes.items(), key=lambda item: -item[1]))
    print(f"\n{len(bad)} files in {mixed.seconds:.0f} s; exit status {mixed.status}; rows missing: {len(missing)};")
    print(f"failures without reason: {len(unexplained)}; artifacts of good documents that differ: {len(different)}")
    broken = {
        "hostile_crashes": int(mixed.status not in (0, 3)) + len(missing),
        "hostile_hangs": int(mixed.status == -1),
        "hostile_unexplained": len(unexplained),
        "hostile_faults": len(faults),
        "hostile_locked_with_password": len(locked),
        "good_documents_changed": len(different),
    }
    figures = {
        **broken,
        "hostile_files": len(bad),
        "hostile_passwords": len(passwords),
        "hostile_ok": sum(row.status == "ok" for row in told.values()),
        "hostile_partial": sum(row.status == "partial" for row in told.values()),
        "hostile_failed": sum(row.status == "failed" for row in told.values()),
        "hostile_largest_process_mb": mixed.largest_mb,
    }
    detail = {
        "outcomes": dict(outcomes), "missing": missing, "unexplained": unexplained, "different": different[:20],
        "faults": faults, "locked": locked,
        "rows": {doc_id: [row.status, row.reason, row.message] for doc_id, row in sorted(told.items())},
    }  # fmt: skip
    return Measured(figures, detail, kept=not any(broken.values()))


def _bad_files(folder: Path, limit: int | None) -> tuple[dict[str, Path], dict[str, str]]:
    """doc_id -> file, spread evenly where they are limited; doc_id -> password."""
    found = sorted(path for path in (folder / "files").iterdir() if path.is_file())
    found = found[:: max(1, len(found) // limit)][:limit] if limit else found
    found += sorted(path for pattern in CASES for path in (ROOT / "tests" / "cases").glob(f"{pattern}/input.pdf"))
    names = [path.stem if path.name != "input.pdf" else path.parent.name for path in found]
    bad = {f"{number:04d}_{_safe(name)}": path for number, (name, path) in enumerate(zip(names, found, strict=True))}
    listed = files.read_jsonl(folder / "list.jsonl") if (folder / "list.jsonl").is_file() else []
    known = {Path(str(row["file"])).name: row["password"] for row in listed if row.get("password")}
    return bad, {doc_id: str(known[path.name]) for doc_id, path in bad.items() if path.name in known}


class Finished:
    """A workflow that ended, or was stopped after ``HANG_SECONDS`` (status -1); megabytes of its largest process."""

    def __init__(self, folder: Path, status: int, seconds: float) -> None:
        self.folder, self.status, self.seconds = folder, status, seconds
        self.largest_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024

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


def _run(folder: Path, bad: Mapping[str, Path], passwords: Mapping[str, str]) -> Finished:
    shutil.rmtree(folder, ignore_errors=True)
    dataset = folder / "data" / "mixed"
    for doc_id in GOOD:
        _place(ROOT / "data" / "demo" / doc_id / "full.pdf", dataset / doc_id)
    for doc_id, path in bad.items():
        _place(path, dataset / doc_id)
    if passwords:
        write_passwords(dataset / SHEET, passwords)
    config = {**CONFIG, "datasets": ["mixed"], "runs": {"mixed": {"datasets": ["mixed"], "methods": ["constant"]}}}
    files.write_text(folder / "config.yaml", json.dumps(config))
    write_small_embedder(folder / FOLDER)
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
