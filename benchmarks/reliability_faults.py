"""The n-th write, fsync or rename of every stage fails, or kills, for every n; then the stage runs again.

One document goes through all stages, once from nothing and once after its PDF and its question changed. The legal
sha256 of every file are computed first: absent, as before the stage, as after it. After each fault, no file may hold
anything else; unfinished files under temporary names are nobody's artifact. A fault that does not kill must end the
stage with an exit status that is not 0 and one line that names the file. Run again, the stage must leave the very files
of an undisturbed run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import print_table
from benchmarks.disk_faults import FAULTS, Disk
from benchmarks.reliability_parts import Measured
from benchmarks.reliability_project import CONFIG, DATASET, SmallProject, code_of, differences, write_document
from cosee.artifacts import files

DOCUMENT = "alder"
STARTS = ("from nothing", "after a change")
BESIDE = ("measured", ".stamps", ".shards", "journal", ".cache")
"""Files of these folders may hold other values than an undisturbed run's, but must be whole."""


@dataclass(frozen=True)
class Fault:
    """What befalls the ``number``-th operation of a step."""

    start: str
    step: str
    number: int
    operation: str
    path: str
    kind: str


@dataclass(frozen=True)
class Plan:
    """A step of a start: the project before it, the files before and after it, and its operations."""

    start: str
    step: str
    before: SmallProject
    old: dict[str, str]
    new: dict[str, str]
    operations: list[tuple[str, str]]

    def faults(self) -> Iterator[Fault]:
        """Everything that can befall every operation."""
        for number, (operation, path) in enumerate(self.operations, start=1):
            for kind in FAULTS[operation]:
                yield Fault(self.start, self.step, number, operation, path, kind)


def measure(options: argparse.Namespace) -> Measured:
    """Every fault; goes on where an earlier call with the same code stopped."""
    work = options.work / "faults"
    plans = make_plans(work)
    identity = {"code": code_of(plans[0].before.folder)}
    record = work / "state.json"
    state = files.read_json(record) if record.is_file() else {}
    done: list[dict[str, Any]] = state.get("faults", []) if state.get("identity") == identity else []
    known = {tuple(entry["fault"]) for entry in done}
    todo = [(plan, fault) for plan in plans for fault in plan.faults()]
    for position, (plan, fault) in enumerate(todo, start=1):
        key = (fault.start, fault.step, fault.number, fault.kind)
        if key in known:
            continue
        wrong = try_fault(plan, fault, work / "trial")
        done.append({"fault": list(key), "path": fault.path, "operation": fault.operation, "wrong": wrong})
        for text in wrong:
            print(f"{fault}: {text}", flush=True)
        if position % 50 == 0 or position == len(todo):
            files.write_json(record, {"identity": identity, "faults": done})
            print(f"{position}/{len(todo)} faults", flush=True)
    files.write_json(record, {"identity": identity, "faults": done})
    return _measured(done)


def _measured(done: list[dict[str, Any]]) -> Measured:
    kinds = Counter((entry["operation"], entry["fault"][3]) for entry in done)
    print_table(["operation", "fault", "times"], [(*key, count) for key, count in sorted(kinds.items())])
    wrong = [entry for entry in done if entry["wrong"]]
    figures = {
        "faults": len(done),
        "illegal_states": sum(any(text.startswith("illegal") for text in entry["wrong"]) for entry in wrong),
        "faults_not_mended": sum(any(text.startswith("not mended") for text in entry["wrong"]) for entry in wrong),
        "faults_unclear": sum(any(text.startswith("unclear") for text in entry["wrong"]) for entry in wrong),
    }
    detail = {"kinds": {f"{operation}, {kind}": count for (operation, kind), count in kinds.items()}, "wrong": wrong}
    return Measured(figures, detail, kept=not wrong)


def make_plans(work: Path) -> list[Plan]:
    """Run every step undisturbed, from nothing and after a change, and note what it reads, writes and does."""
    _main_of(STAGES[0])  # imports the libraries once, for every forked child
    shutil.rmtree(work / "plans", ignore_errors=True)
    project = SmallProject.create(work / "plans" / "project", CONFIG, [DOCUMENT])
    plans = []
    for start in STARTS:
        if start == STARTS[1]:
            write_document(project.pdf(DOCUMENT), "Alder River Survey, revised", "The river was 44 metres wide.")
            rows = [{"question_id": f"{DOCUMENT}-1", "doc_id": DOCUMENT, "question": "How wide was the river then?"}]
            files.write_jsonl(project.folder / "data" / DATASET / "qa" / "questions.jsonl", rows)
        for number, step in enumerate(STEPS):
            before = project.copy(work / "plans" / f"{STARTS.index(start)}-{number}-{step}")
            notes = work / "plans" / "notes"
            notes.unlink(missing_ok=True)
            status, said = in_child(project, step, notes=notes)
            if status != 0:
                raise RuntimeError(f"{start}, {step}: the undisturbed step ended with {status}: {said}")
            operations = [tuple(json.loads(line)) for line in notes.read_text().splitlines()]
            plans.append(Plan(start, step, before, _everything(before), _everything(project), operations))
    return plans


def try_fault(plan: Plan, fault: Fault, folder: Path) -> list[str]:
    """Run the step with the fault, look, run it again without, look again; what was wrong, in words."""
    trial = plan.before.copy(folder)
    status, said = in_child(trial, plan.step, fail=fault.number, fault=fault.kind)
    wrong = _illegal(plan, trial)
    clear = status > 0 and "Traceback" not in said and "cannot be written" in said
    if not clear and not fault.kind.startswith("kill"):
        wrong.append(f"unclear: exit status {status}, {said[-300:]!r}")
    status, said = in_child(trial, plan.step)
    different = differences(_artifacts(plan.new), _artifacts(_everything(trial)))
    if status != 0 or different or trial.litter():
        wrong.append(f"not mended: exit status {status}, {different[:3]} {trial.litter()[:3]} {said[-200:]!r}")
    return wrong


def _everything(project: SmallProject) -> dict[str, str]:
    """sha256 of every finished file, by its path."""
    found = [path for root in ("data", "indexes", "results") for path in (project.folder / root).rglob("*")]
    return {
        path.relative_to(project.folder).as_posix(): files.sha256_file(path)
        for path in sorted(found)
        if path.is_file() and path.suffix not in (".tmp", ".lock")
    }


def _artifacts(everything: dict[str, str]) -> dict[str, str]:
    """Those under the promise of equal bytes."""
    return {
        name: sha256
        for name, sha256 in everything.items()
        if not set(BESIDE) & set(name.split("/")) and not name.endswith("costs.json")
    }


def _illegal(plan: Plan, trial: SmallProject) -> list[str]:
    """Files in a state that they may not be in."""
    wrong = []
    for name, sha256 in _everything(trial).items():
        beside = set(BESIDE) & set(name.split("/")) or name.endswith("costs.json")
        known = sha256 in (plan.old.get(name), plan.new.get(name))
        if not known and not (beside and _is_whole(trial.folder / name)):
            wrong.append(f"illegal: {name} is neither absent nor as before nor as after the step")
    return wrong


def _is_whole(path: Path) -> bool:
    """Whether a file whose bytes may differ from run to run has its end."""
    data = path.read_bytes()
    if path.suffix == ".png":
        return data.endswith(b"IEND\xaeB`\x82")
    if path.suffix == ".js":
        return data.endswith(b";\n")
    # A journal's last line may be torn: it is no row before its line break.
    texts = data.split(b"\n")[:-1] if path.suffix == ".jsonl" else [data]
    with suppress(ValueError):
        return all(json.loads(text) is not None for text in texts)
    return False


def in_child(
    project: SmallProject, step: str, fail: int = 0, fault: str = "", notes: Path | None = None
) -> tuple[int, str]:
    """Run a step in a forked child of this process; its exit status (negative for a signal) and what it said."""
    said = project.folder / "said.log"
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 99
        try:
            descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            sys.stderr = open(descriptor, "w", closefd=False)  # noqa: SIM115 - for the life of this process
            os.chdir(project.folder)
            Disk(project.folder, fail, fault, notes).install()
            status = STEPS[step]()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            with suppress(BaseException):
                sys.stderr.flush()
            os._exit(status)
    _, code = os.waitpid(child, 0)
    text = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
    return os.waitstatus_to_exitcode(code), text


def _parse() -> int:
    """What the scheduler does before any job: sheet, shards, states, the run's settings."""
    from cosee.pipeline.config import ConfigError

    try:
        _project().claim_run(DATASET, rewrite=True, dryrun=False)
    except (ConfigError, files.ArtifactError, files.DiskFailure) as error:
        sys.stderr.write(f"cosee: {error}\n")
        return 2
    return 0


def _project() -> Any:
    from cosee.pipeline.workflow import open_project

    return open_project(CONFIG, runs_jobs=True, dryrun=False)


def _stage(name: str) -> Callable[[], int]:
    """A stage by the command of its rule, without a process of its own."""

    def run() -> int:
        from cosee.commands.run_stage import Choice, stage_jobs
        from cosee.pipeline.workflow import open_project

        project = open_project(CONFIG, runs_jobs=False, dryrun=False)
        (job,) = stage_jobs(project, Choice(name))
        return _main_of(name)([word for word in job.arguments[1:] if word != "--die-with-parent"])

    return run


def _main_of(name: str) -> Callable[[list[str]], int]:
    from cosee.artifacts.settings.answer import AnswerSettings
    from cosee.artifacts.settings.index import IndexSettings
    from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
    from cosee.pipeline.job import run_stage
    from cosee.stages import adapt, answer, build, collect, enhance, evaluate, index, questions, summarize

    stages: dict[str, Callable[[list[str]], int]] = {
        "adapt": lambda words: run_stage(adapt.AdaptStage(), AdaptSettings, words),
        "enhance": lambda words: run_stage(enhance.EnhanceStage(), EnhanceSettings, words),
        "build": lambda words: run_stage(build.BuildStage(), BuildSettings, words),
        "index": lambda words: run_stage(index.IndexStage(), IndexSettings, words),
        "questions": lambda words: run_stage(questions.QuestionsStage(), IndexSettings, words),
        "answer": lambda words: run_stage(answer.AnswerStage(), AnswerSettings, words),
        "collect": collect.main,
        "evaluate": evaluate.main,
        "summarize": summarize.main,
    }
    return stages[name]


STAGES = ("adapt", "enhance", "build", "index", "questions", "answer", "collect", "evaluate", "summarize")
STEPS: dict[str, Callable[[], int]] = {"parse": _parse, **{name: _stage(name) for name in STAGES}}
