"""What ``cosee ask`` costs on the machine at hand, without a model: ``python -m benchmarks.ask_speed --json OUT``.

CPU seconds of the command and its children, the median of several, each in a process of its own:

- ``new_question_cpu_s``: a question that was not asked before about a document that is known;
- ``first_ask_cpu_s``: the first question about a document of 20 pages, of which nothing is known.

Python's compiled files are made beforehand, as they are on a machine where ``cosee`` ran once.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import ROOT, print_table, write_report
from cosee.models import weights

DOCUMENT = ROOT / "data" / "demo" / "atlas" / "full.pdf"
FIRST = "Which firm audited the statements?"
NEW = (
    "What was revenue in 2023?",
    "How many employees did the group have in 2024?",
    "Which segment grew fastest?",
    "Who chairs the audit committee?",
    "What does Figure 2 show?",
)
AT_MOST = {"new_question_cpu_s": 2.0, "first_ask_cpu_s": 10.0}


def cost_of(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """CPU seconds of a command with its children, and the megabytes that the largest of these processes took."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measured(document: Path, rounds: int) -> dict[str, float]:
    """The figures, with an empty cache but for the weights of the embedder."""
    if (models := weights.find("minilm")) is None:
        raise SystemExit("no weights: python -m cosee.models.weights --fetch minilm")
    firsts, news, memory = [], [], 0.0
    with tempfile.TemporaryDirectory() as scratch:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(scratch) / "compiled")
        for number in range(-1, rounds):  # the first time compiles
            cache = Path(scratch) / f"cache{number}"
            (cache / "models").mkdir(parents=True)
            (cache / "models" / models.name).symlink_to(models.resolve())
            environment["COSEE_CACHE"] = str(cache)
            command = [sys.executable, "-m", "cosee.cli", "ask", str(document)]
            first, _ = cost_of([*command, FIRST], environment)
            for text in NEW[: 1 if number < 0 else None]:
                seconds, memory = cost_of([*command, text], environment)
                news += [seconds] if number >= 0 else []
            firsts += [first] if number >= 0 else []
    return {
        "new_question_cpu_s": statistics.median(news),
        "new_question_cpu_s_most": max(news),
        "first_ask_cpu_s": statistics.median(firsts),
        "first_ask_cpu_s_most": max(firsts),
        "new_question_rss_mb": memory,
    }


def main() -> int:
    """Run the bench; 1 where a figure is above what is promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True, dest="out", help="report to write")
    parser.add_argument("--document", type=Path, default=DOCUMENT, help="a PDF; default: the demo's of 20 pages")
    parser.add_argument("--rounds", type=int, default=3, help="times that the document is read from nothing")
    options = parser.parse_args()
    figures = measured(options.document.resolve(), options.rounds)
    print_table(["figure", "value", "at most"], [[k, f"{v:.2f}", AT_MOST.get(k, "")] for k, v in figures.items()])
    write_report(options.out, "ask_speed", figures, {"at_most": AT_MOST, "document": options.document.name})
    return int(any(figures[name] > most for name, most in AT_MOST.items()))


if __name__ == "__main__":
    sys.exit(main())
