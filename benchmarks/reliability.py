"""The promises of docs/reliability.md under attack: `python -m benchmarks.reliability --json OUT`.

Each part stands in a module of its own, keeps its files below ``--work`` and gives figures; ``--parts`` chooses some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import (
    reliability_determinism,
    reliability_faults,
    reliability_fuzz,
    reliability_hostile,
    reliability_kills,
)
from benchmarks.common import ROOT, print_table, write_report
from benchmarks.reliability_parts import Measured, Unmeasured

PARTS: dict[str, Callable[[argparse.Namespace], Measured]] = {
    "kills": reliability_kills.measure,
    "faults": reliability_faults.measure,
    "determinism": reliability_determinism.measure,
    "hostile": reliability_hostile.measure,
    "fuzz": reliability_fuzz.measure,
}
HOSTILE = ROOT.parent / "shared" / "hostile"


def main() -> int:
    """Run the parts and print their figures; exit status 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks" / "reliability")
    parser.add_argument("--kills", type=int, default=200, help="kills: how many; what an earlier call did counts")
    parser.add_argument("--seed", type=int, default=0, help="kills, fuzz: of what is drawn (default: 0)")
    parser.add_argument(
        "--hostile", type=Path, default=HOSTILE, help="hostile: folder with files/*.pdf (default: ../shared/hostile)"
    )
    parser.add_argument("--cases", type=Path, help="folder of cases with an index.jsonl")
    parser.add_argument("--limit", type=int, help="hostile: only the first N files")
    parser.add_argument("--runs", type=int, default=300, help="fuzz: broken inputs to try (default: 300)")
    options = parser.parse_args()
    options.work = options.work.resolve()
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {}
    broken = []
    for name in options.parts:
        print(f"\n== {name}", flush=True)
        try:
            part = PARTS[name](options)
        except Unmeasured as reason:
            print(f"not measured: {reason}")
            continue
        figures |= part.figures
        detail[name] = dict(part.detail)
        broken += [] if part.kept else [name]
    print()
    print_table(["figure", "value"], sorted(figures.items()))
    write_report(options.json, "reliability", figures, detail)
    if broken:
        sys.stderr.write(f"promises broken: {', '.join(broken)}\n")
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
