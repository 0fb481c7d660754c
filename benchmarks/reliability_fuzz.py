"""Broken inputs by the thousand: every one ends in success or in a refusal of ours, within 5 s of CPU and 1 GB.

A child process reads one input after the other and says which; where it dies, the input at hand is a finding and a new
child goes on with the next. In the child nothing may be written outside its folder, no process started, no connection
opened.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.common import print_table
from benchmarks.fuzz.targets import TARGETS, Seeds, Target
from benchmarks.reliability_parts import Measured
from cosee.artifacts import files

CPU_SECONDS = 5.0
WALL_SECONDS = 120.0
MEMORY = 1 << 30
BATCH = 50


@dataclass(frozen=True)
class Finding:
    """One input that broke a promise: ``kind`` is exception, killed, seconds, memory or forbidden."""

    target: str
    key: str
    kind: str
    detail: str


@dataclass
class Fuzzed:
    """What became of the inputs: outcome by target, and the findings."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """Inputs read."""
        return sum(count.total() for count in self.outcomes.values()) + len(self.findings)


def fuzz(runs: int, seed: int, work: Path, targets: Sequence[Target] = TARGETS) -> Fuzzed:
    """Read ``runs`` broken inputs, the targets in turn; the same ones for the same ``seed``."""
    fuzzed = Fuzzed({target.name: Counter() for target in targets})
    seeds = Seeds()
    for target in targets:
        seeds.input(target, "warm")
    keys = [(targets[number % len(targets)], f"{seed}/{number}") for number in range(runs)]
    keys.sort(key=lambda each: each[0].name)
    for start in range(0, len(keys), BATCH):
        waiting = keys[start : start + BATCH]
        while waiting:
            done = 0
            for (target, key), answer in zip(waiting, _in_child(seeds, waiting, work), strict=False):
                done += 1
                if "kind" in answer:
                    fuzzed.findings.append(Finding(target.name, key, answer["kind"], answer["detail"]))
                else:
                    fuzzed.outcomes[target.name][answer["outcome"]] += 1
            waiting = waiting[done:]
    return fuzzed


def _in_child(seeds: Seeds, keys: Sequence[tuple[Target, str]], work: Path) -> Iterator[dict[str, str]]:
    """An answer for each key until the child ends; for the one at which it dies, how."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(seeds, keys, work, sender))
    process.start()
    sender.close()
    try:
        for _ in keys:
            if not receiver.poll(WALL_SECONDS):
                yield {"kind": "seconds", "detail": f"no answer within {WALL_SECONDS:g} s"}
                return
            try:
                yield json.loads(receiver.recv_bytes())
            except EOFError:
                process.join(10)
                code = process.exitcode or 0
                name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
                kind = "seconds" if code == -signal.SIGPROF else "killed"
                yield {"kind": kind, "detail": f"the process ended by {name}"}
                return
    finally:
        process.kill()
        process.join(10)
        receiver.close()


def _child(seeds: Seeds, keys: Sequence[tuple[Target, str]], work: Path, sender: Connection) -> None:
    gc.freeze()  # else a large input has what the parent held before, a whole test run, looked through on its time
    os.setsid()
    sys.dont_write_bytecode = True
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    guard = Guard(work)
    sys.addaudithook(guard)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for target, key in keys:
        made = seeds.input(target, key)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        answer = _answer(made, work, guard)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sender.send_bytes(json.dumps(answer).encode())
    sender.close()
    os._exit(0)


def _answer(made: Any, work: Path, guard: Guard) -> dict[str, str]:
    folder = Path(tempfile.mkdtemp(dir=work)) / "document"
    folder.mkdir()
    guard.broken, guard.armed = "", True
    try:
        outcome = made.target.read(folder, made.data, made.mutation)
    except MemoryError:
        return {"kind": "memory", "detail": traceback.format_exc(limit=-3)}
    except Exception:  # any exception that is no refusal of ours is what is looked for
        return {"kind": "exception", "detail": traceback.format_exc(limit=-6)}
    finally:
        guard.armed = False
        shutil.rmtree(folder.parent, ignore_errors=True)
    return {"kind": "forbidden", "detail": guard.broken} if guard.broken else {"outcome": outcome}


class Guard:
    """An audit hook that notes what no reader may do: write outside of ``work``, start a process, open a connection."""

    def __init__(self, work: Path) -> None:
        self.work = str(work.resolve())
        self.broken = ""
        self.armed = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a forbidden event; called by Python for every audited one."""
        if not self.armed:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = any(letter in (mode or "") for letter in "wax+") or bool(
                isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            )
            if writes and isinstance(path, str | bytes | os.PathLike):
                self._check(event, os.fsdecode(path))
        elif event in ("os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"):
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike):
                    self._check(event, os.fsdecode(path))
        elif event in ("socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            self.broken = self.broken or f"{event} {arguments!r}"[:300]

    def _check(self, event: str, path: str) -> None:
        whole = os.path.normpath(Path.cwd() / path)
        if not whole.startswith(self.work + os.sep) and whole != os.devnull:
            self.broken = self.broken or f"{event} {whole}"[:300]


def measure(options: argparse.Namespace) -> Measured:
    """Read ``--runs`` broken inputs of ``--seed``; the inputs that broke a promise are kept in the work folder."""
    work = Path(options.work) / "fuzz"
    shutil.rmtree(work, ignore_errors=True)
    (work / "inputs").mkdir(parents=True)
    fuzzed = fuzz(options.runs, options.seed, work / "inputs")
    rows = [(name, outcome, count) for name, found in fuzzed.outcomes.items() for outcome, count in found.most_common()]
    print_table(["target", "outcome", "inputs"], rows)
    seeds = Seeds()
    for number, finding in enumerate(fuzzed.findings):
        target = next(each for each in TARGETS if each.name == finding.target)
        files.write_bytes(work / "findings" / f"{number:03d}.{finding.target}", seeds.input(target, finding.key).data)
        print(f"\n{number:03d} {finding.target} {finding.key}: {finding.kind}\n{finding.detail}")
    kinds = Counter(finding.kind for finding in fuzzed.findings)
    figures = {
        "fuzz_runs": fuzzed.runs,
        "fuzz_crashes": len(fuzzed.findings) - kinds["seconds"],
        "fuzz_hangs": kinds["seconds"],
    }
    detail = {"seed": options.seed, "outcomes": {name: dict(found) for name, found in fuzzed.outcomes.items()}}
    return Measured(figures, {**detail, "findings": [vars(each) for each in fuzzed.findings]}, not fuzzed.findings)
