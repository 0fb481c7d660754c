"""What a dry run would do, a line a stage: how many jobs, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

SHOWN = 3
"""Reasons, files or jobs that are named before '... and N more'."""
SENTENCES = {
    "Forced execution": "asked for",
    "Incomplete output files": "was cut short",
    "Set of input files has changed since last execution": "it has other inputs",
    "Params have changed since last execution": "settings changed",
    "Code has changed since last execution": "its command changed",
    "Software environment definition has changed since last execution": "environment changed",
}
"""How Snakemake's reasons begin -> what a person reads."""


@dataclass
class _Stage:
    jobs: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


class Plan:
    """Jobs of a dry run as they are told, by rule."""

    def __init__(self) -> None:
        self._jobs: list[Mapping[str, Any]] = []

    def add(self, job: Mapping[str, Any]) -> None:
        """A job: the fields of Snakemake's record of it."""
        self._jobs.append(job)

    def lines(self) -> Iterator[str]:
        """The plan, to be printed."""
        made_by = {path: str(job["rule_name"]) for job in self._jobs for path in job["output"]}
        stages: dict[str, _Stage] = {}
        for job in self._jobs:
            if job["output"]:
                stage = stages.setdefault(str(job["rule_name"]), _Stage())
                stage.jobs.append(job_name("", job["wildcards"]))
                stage.reasons.update(list(_reasons(str(job["reason"]), made_by)))
        total = sum(len(stage.jobs) for stage in stages.values())
        yield f"{total} {'job' if total == 1 else 'jobs'} would run:"
        width = max(map(len, stages), default=0)
        for rule, stage in stages.items():
            why = shortened([reason for reason, _ in stage.reasons.most_common()], "; ")
            which = shortened(sorted(filter(None, stage.jobs)), ", ")
            yield f"  {rule:{width}}  {len(stage.jobs):3}  {why}{f'  ({which})' if which else ''}"
        yield "nothing was run (-n); with -p too, every job with its files and command"


def job_name(rule: str, wildcards: Mapping[str, str] | None) -> str:
    """``answer demo:cosee demo/0000``: rule, run with method, dataset with shard, as far as it has them."""
    found = dict(wildcards or {})
    pairs = [[found.pop(key) for key in keys if key in found] for keys in (("run", "method"), ("dataset", "shard"))]
    words = [rule, ":".join(pairs[0]), "/".join(pairs[1]), *(str(value) for value in found.values())]
    return " ".join(word for word in words if word)


def shortened(words: Sequence[str], between: str) -> str:
    """The first words, and how many more there are."""
    more = [f"and {len(words) - SHOWN} more"] if len(words) > SHOWN else []
    return between.join([*words[:SHOWN], *more])


def _reasons(text: str, made_by: Mapping[str, str]) -> Iterator[str]:
    """Snakemake's sentence in a few words a reason."""
    after: list[str] = []
    for part in text.split("; "):
        begins, _, rest = part.partition(": ")
        names = rest.split(", ") if rest else []
        if begins == "Missing output files":
            yield "not made yet"
        elif begins == "Input files updated by another job":
            after = sorted({made_by.get(name, name) for name in names})
        elif begins == "Updated input files":
            yield f"changed: {shortened(sorted(map(_input_name, names)), ', ')}"
        elif begins in SENTENCES:
            yield SENTENCES[begins]
        elif part and part[0].isupper() and not rest:
            yield part[:80]
    if after:
        yield f"after {shortened(after, ', ')}"


def _input_name(path: str) -> str:
    """An input that the scheduler keeps for a job, as what it stands for; another file as it is."""
    name, folder = PurePath(path).name, PurePath(path).parent.name
    if folder == ".code":
        return f"code of {name.removesuffix('.json')}"
    if folder == ".shards":
        for suffix, meaning in (
            (".state.json", "outputs"),
            (".rows.json", "documents"),
            (".questions.json", "questions"),
        ):
            if name.endswith(suffix):
                return meaning
    return path
