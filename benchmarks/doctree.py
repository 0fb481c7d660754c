"""The DocTree against truth made by people, authors and producers, beside peers on the same files.

python -m benchmarks.doctree --cases DIR --parse DIR --qa DIR --json OUT [--only PART,...] [--documents NAME ...]

Each part says in its module how it scores. A part whose truth or peer is absent gives no figure and a printed reason.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    doctree_headings,
    doctree_ohr,
    doctree_olmocr,
    doctree_tables,
    doctree_variety,
)
from benchmarks.cases import read_cases, run
from benchmarks.common import ROOT, print_table, progress, write_report
from benchmarks.doctree_read import Measured, Sources


def measure_cases(sources: Sources) -> Measured:
    """The project's own cases, judged by their ``expected.json``."""
    cases = read_cases(sources.cases)
    if not cases:
        return Measured(missing={"cases_*": f"no case in {sources.cases}"})
    for number, case in enumerate(cases, start=1):
        progress("cases", number, len(cases), case.name)
        with tempfile.TemporaryDirectory() as folder:
            run(case, Path(folder))
    progress("", 0, 0, "")
    must = [case for case in cases if case.severity == "must"]
    figures = {
        "cases_must_passed": float(sum(1 for case in must if not case.failing)),
        "cases_must_total": float(len(must)),
        "cases_passed": float(sum(1 for case in cases if not case.failing)),
        "cases_total": float(len(cases)),
    }
    failing = {case.name: {"severity": case.severity, "failing": case.failing} for case in cases if case.failing}
    return Measured(figures, {"failing": failing})


PARTS: dict[str, Callable[[Sources], Measured]] = {
    "cases": measure_cases,
    "headings": doctree_headings.measure,
    "tables": doctree_tables.measure,
    "olmocr": doctree_olmocr.measure,
    "ohr": doctree_ohr.measure,
    "variety": doctree_variety.measure,
}


def main() -> int:
    """Run the parts and print their tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--cases", type=Path, required=True, help="folder of cases")
    parser.add_argument("--parse", type=Path, required=True, help="folder of PDFs with structural truth")
    parser.add_argument("--qa", type=Path, required=True, help="folder with docs/")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--only", help=f"parts, comma-separated: {', '.join(PARTS)}")
    parser.add_argument("--documents", nargs="+", default=[], help="only documents whose file name holds one of these")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for what is kept")
    options = parser.parse_args()
    parts = options.only.split(",") if options.only else list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"--only: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    sources = Sources(options.cases, options.parse, options.qa, options.work, tuple(options.documents))
    figures: dict[str, float] = {}
    detail: dict[str, object] = {}
    missing: dict[str, str] = {}
    for part in parts:
        measured = PARTS[part](sources)
        for title, header, rows in measured.tables:
            print(f"\n{title}")
            print_table(header, rows)
        figures |= measured.figures
        missing |= measured.missing
        detail[part] = measured.detail
    print()
    print_table(["figure", "value"], [[name, value] for name, value in sorted(figures.items())])
    for name, reason in missing.items():
        print(f"not measured: {name}: {reason}")
    write_report(options.json, "doctree", figures, {**detail, "not_measured": missing})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
