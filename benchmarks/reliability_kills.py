"""Kill -9 at random moments and at every stage border of a small run, start again at once, and compare.

A trial begins with a project that has not run. One to six times it is started and killed: the whole process tree,
the scheduler alone, a job alone or a worker of a job alone, at a moment drawn from the trial's number; then the same
command runs to its end. A kill counts as identical when that end has exit status 0, nothing was unlocked by hand, every
artifact has the bytes of an undisturbed run, no unfinished file lies about, and a further call has nothing to do.

Answers come from a served model that counts: a call is **repeated** when its request arrives although its reply already
stands in the journal. A request that was under way when the kill came has no reply there, and is sent again
(``calls_cut_off``); nothing could prevent that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.common import print_table
from benchmarks.reliability_parts import Measured
from benchmarks.reliability_project import CONFIG, DATASET, HANG_SECONDS, SmallProject, code_of, differences
from cosee.artifacts import files

DOCUMENTS = ("alder", "birch")
TARGETS = ("tree", "tree", "scheduler", "job", "worker")
"""Drawn from; the whole tree twice as often as the others."""
MOST_KILLS = 6
MODEL = "counting"
REPLY_SECONDS = 0.15
RUN_CONFIG: dict[str, Any] = {
    **CONFIG,
    "runs": {
        DATASET: {
            "datasets": [DATASET],
            "model": MODEL,
            "methods": [{"strategy": "self_consistency", "samples": 3}],
        }
    },
}


@dataclass
class CountingModel:
    """A server of a pretend model. The reply to a request names the request, so that it is known in the journal."""

    url: str = ""
    project: SmallProject | None = None
    requests: Counter[str] = field(default_factory=Counter)
    repeated: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, project: SmallProject) -> None:
        """Count for a project from now on."""
        with self.lock:
            self.project = project
            self.requests.clear()
            self.repeated.clear()

    def reply(self, body: bytes) -> str:
        """The reply to a request: always the same to the same."""
        token = files.sha256_bytes(body)[:16]
        with self.lock:
            assert self.project is not None
            self.requests[token] += 1
            if any(token in row["generation"]["text"] for row in self.project.journal()):
                self.repeated.append(token)
        time.sleep(REPLY_SECONDS)
        return json.dumps(
            {"reasoning": f"Request {token}.", "answer": f"Not answerable {token[:4]}", "confidence": 0.5}
        )


@contextmanager
def counting_model() -> Iterator[CountingModel]:
    """A running server on a free port of the loopback interface; speaks what OpenAI-compatible servers speak."""
    state = CountingModel()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "x"}]})

        def do_POST(self) -> None:
            text = state.reply(self.rfile.read(int(self.headers["content-length"])))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109}
            value = {"id": "c", "object": "chat.completion", "created": 0, "model": MODEL}
            with suppress(OSError):  # the client was killed
                self._send({**value, "choices": [choice], "usage": usage})

        def _send(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Kill:
    """One kill: what was killed, and when (seconds after the start, or the path whose appearance was waited for)."""

    target: str
    moment: str
    restarted_after: float = 0.0


@dataclass
class Trial:
    """One project from its first start to its end; ``faults`` says what was not as it must be."""

    number: int
    kills: list[Kill]
    faults: list[str]
    repeated: int
    cut_off: int
    seconds: float


@dataclass(frozen=True)
class Undisturbed:
    """What a run that nobody disturbs makes."""

    tree: dict[str, str]
    keys: list[str]
    seconds: float
    borders: list[str]
    """Paths whose appearance is a border: a job began (its log), a document was done (its stamp), a job ended."""


def measure(options: argparse.Namespace) -> Measured:
    """Trials until ``--kills`` kills were made; goes on where an earlier call with the same code stopped."""
    work = options.work / "kills"
    record = work / "state.json"
    template = SmallProject.create(work / "template", RUN_CONFIG, DOCUMENTS)
    identity = {"code": code_of(template.folder), "seed": options.seed}
    state = files.read_json(record) if record.is_file() else {}
    trials: list[dict[str, Any]] = state.get("trials", []) if state.get("identity") == identity else []
    with counting_model() as model:
        template.configure(RUN_CONFIG, {MODEL: {"kind": "openai", "model": MODEL, "base_url": model.url}})
        undisturbed = _undisturbed(template, work / "undisturbed", model)
        while sum(len(trial["kills"]) for trial in trials) < options.kills:
            trial = run_trial(template, work / "trial", len(trials), options.seed, undisturbed, model)
            trials.append(asdict(trial))
            files.write_json(record, {"identity": identity, "trials": trials})
            done = sum(len(each["kills"]) for each in trials)
            verdict = "; ".join(trial.faults) or "identical"
            print(
                f"{done:4d}/{options.kills} kills  trial {trial.number}  {trial.seconds:5.0f} s  {verdict}", flush=True
            )
    return _measured(trials, undisturbed)


def _measured(trials: list[dict[str, Any]], undisturbed: Undisturbed) -> Measured:
    kills = [kill for trial in trials for kill in trial["kills"]]
    identical = sum(len(trial["kills"]) for trial in trials if not trial["faults"])
    figures = {
        "kills": len(kills),
        "kills_identical": identical,
        "repeated_calls": sum(trial["repeated"] for trial in trials),
    }
    targets = Counter(kill["target"] for kill in kills)
    print_table(["killed", "times"], sorted(targets.items()))
    detail = {
        "targets": dict(targets),
        "at_borders": sum("/" in kill["moment"] for kill in kills),
        "calls_of_a_run": len(undisturbed.keys),
        "calls_cut_off": sum(trial["cut_off"] for trial in trials),
        "undisturbed_seconds": round(undisturbed.seconds, 1),
        "faults": [[trial["number"], *trial["faults"]] for trial in trials if trial["faults"]],
    }
    return Measured(figures, detail, kept=identical == len(kills) and not figures["repeated_calls"])


def _undisturbed(template: SmallProject, folder: Path, model: CountingModel) -> Undisturbed:
    project = template.copy(folder)
    model.begin(project)
    started = time.monotonic()
    result = project.run()
    seconds = time.monotonic() - started
    if result.returncode != 0 or project.failures() or project.litter():
        raise RuntimeError(f"the undisturbed run failed: {result.stderr[-2000:]} {project.failures()[:2]}")
    made = [path for root in ("data", "indexes", "results", "logs") for path in (folder / root).rglob("*")]
    borders = [
        path.relative_to(folder).as_posix()
        for path in sorted(made)
        if path.parent.name in (".stamps", ".ledger", "ledger", "predictions") or path.suffix == ".log"
        or path.name in ("metrics.json", "metrics_summary.json", "run.json", "documents.tsv")
    ]  # fmt: skip
    keys = sorted(row["key"] for row in project.journal())
    return Undisturbed(project.tree(), keys, seconds, [name for name in borders if not name.endswith(".lock")])


def run_trial(
    template: SmallProject, folder: Path, number: int, seed: int, undisturbed: Undisturbed, model: CountingModel
) -> Trial:
    """Kill a fresh project one to six times, let it end, and look at what is there."""
    draw = random.Random(f"{seed}/{number}")
    project = template.copy(folder)
    model.begin(project)
    started = time.monotonic()
    kills: list[Kill] = []
    faults: list[str] = []
    for step in range(draw.randint(1, MOST_KILLS)):
        # Every trial begins with the next border, so that each of them is met; later kills come at any moment.
        border = undisturbed.borders[number % len(undisturbed.borders)]
        place = border if step == 0 else draw.random() * draw.uniform(0.2, 0.8)
        kill = _killed_run(project, draw.choice(TARGETS), place, undisturbed.seconds, faults)
        if kill is None:
            break
        kills.append(kill)
    result = project.run()
    faults += _faults(project, result, undisturbed)
    return Trial(
        number,
        kills,
        faults,
        repeated=len(model.repeated),
        cut_off=sum(model.requests.values()) - len(model.requests),
        seconds=round(time.monotonic() - started, 1),
    )


def _faults(project: SmallProject, last: subprocess.CompletedProcess[str], undisturbed: Undisturbed) -> list[str]:
    """What is not as an undisturbed run leaves it."""
    faults = []
    if last.returncode != 0:
        faults.append(f"exit status {last.returncode}: {last.stderr[-300:]}")
    if "Error" in last.stderr or "Exception" in last.stderr:
        faults.append(f"the last run complained: {last.stderr[-300:]}")
    if different := differences(undisturbed.tree, project.tree()):
        faults.append(f"{len(different)} artifacts differ: {', '.join(different[:4])}")
    if litter := project.litter():
        faults.append(f"left lying about: {', '.join(litter[:4])}")
    if sorted(row["key"] for row in project.journal()) != undisturbed.keys:
        faults.append("the journal does not hold each call of an undisturbed run once")
    if "Nothing to be done" not in (again := project.run("-n")).stderr + again.stdout:
        faults.append("a further call has something to do")
    return faults


def _killed_run(
    project: SmallProject, target: str, place: str | float, seconds: float, faults: list[str]
) -> Kill | None:
    """Start the command and kill at a place; None when the run ended before, or had no such process."""
    process = project.start()
    try:
        if isinstance(place, str):
            reached = _until(process, lambda: os.path.lexists(project.folder / place))
        else:
            deadline = time.monotonic() + place * seconds
            reached = _until(process, lambda: time.monotonic() >= deadline)
        victims: list[int] = []
        if not reached or not _until(process, lambda: bool(victims.extend(_victims(process.pid, target)) or victims)):
            process.wait(HANG_SECONDS)
            return None
        for victim in victims:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        killed = time.monotonic()
        status = process.wait(HANG_SECONDS)  # a scheduler whose job or worker was killed goes on to its end
        if status == 0 and target in ("tree", "scheduler"):
            return None  # it had ended in the moment between: no killed process has a status of its own
        expected = {"tree": (-9,), "scheduler": (-9,), "job": (0, 1, 3), "worker": (0, 1, 3)}[target]
        if status not in expected:
            faults.append(f"exit status {status} after the {target} was killed")
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise
    return Kill(target, place if isinstance(place, str) else f"{place * seconds:.2f}", time.monotonic() - killed)


def _until(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> bool:
    """Wait for something; False when the process ended before."""
    while process.poll() is None:
        if reached():
            return True
        time.sleep(0.01)
    return False


def _victims(scheduler: int, target: str) -> list[int]:
    """Process ids to kill now; none where no such process lives."""
    if target == "scheduler":
        return [scheduler]
    below = _descendants(scheduler)
    if target == "tree":
        return [scheduler, *below]
    jobs = [pid for pid, parent in below.items() if parent == scheduler and _runs_a_stage(pid)]
    if target == "job":
        return jobs[:1]
    return [pid for pid, parent in below.items() if parent in jobs][:1]


def _descendants(root: int) -> dict[int, int]:
    """Process -> its parent, of everything below ``root``."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(status.parent.name)] = int(status.read_text(errors="replace").rpartition(")")[2].split()[1])
    found: dict[int, int] = {}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        below = {pid: parent for pid, above in parents.items() if above == parent}
        found |= below
        waiting += below
    return found


def _runs_a_stage(pid: int) -> bool:
    with suppress(OSError):
        return b"cosee.stages." in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
