"""What Snakemake would refuse in its own way before it reads a line of ours: its profile, executor and configurations.

It then ends with a traceback, with its whole usage, or with a line that names no file. Every start of Snakemake imports
its plugins before that; ours looks then, and only at a project of ours.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

OWN_EXECUTORS = ("local", "dryrun", "touch")
EXTRAS = {"slurm": "pip install 'cosee[slurm]'"}
"""Executor -> how its plugin is installed with CoSee."""
DEFAULT_CONFIG = Path("config/config.yaml")


def check_start(argv: Sequence[str]) -> None:
    """End with status 2 and one line where what ``snakemake`` was called with cannot be used."""
    if not _is_snakemake(argv[0]) or not _is_ours(argv):
        return
    message = next(faults_of(argv[1:]), None)
    if message is not None:
        sys.stderr.write(f"cosee: {message}\n")
        raise SystemExit(2)


def faults_of(arguments: Sequence[str]) -> Iterator[str]:
    """What is wrong with the profile, the executor and the configurations that a command line names."""
    from cosee.pipeline.config import ConfigError, read_mapping

    profiles = [
        *_values(arguments, ("--profile",)),
        *(_values(arguments, ("--workflow-profile",))[:1] or ["profiles/default"]),
    ]
    for name in profiles:
        yield from _profile_faults(name, given=name != "profiles/default")
    for executor in _values(arguments, ("--executor", "-e"))[:1]:
        yield from _executor_faults(executor, "--executor")
    given = [Path(each) for each in _values(arguments, ("--configfile", "--configfiles"))]
    folder = Path(next(iter(_values(arguments, ("--directory", "-d"))), "."))
    for path in given or [folder / DEFAULT_CONFIG]:
        try:
            read_mapping(path)
        except ConfigError as error:
            yield f"{error}; another is named by --configfile FILE" if not given else str(error)


def _is_snakemake(program: str) -> bool:
    path = Path(program)
    return path.name == "snakemake" or (path.name == "__main__.py" and path.parent.name == "snakemake")


def _is_ours(argv: Sequence[str]) -> bool:
    """Whether the Snakefile is of a CoSee project; a workflow that imports ours as a module has its own settings."""
    named = [Path(each) for each in _values(argv, ("--snakefile", "-s"))]
    for path in named or [Path("Snakefile"), Path("workflow/Snakefile")]:
        for place in (path, path.parent / "workflow" / "Snakefile", path.parent / "rules" / "common.smk"):
            text = place.read_text(encoding="utf-8", errors="replace") if place.is_file() else ""
            if "cosee" in text.lower():
                return not re.search(r"^module ", text, re.MULTILINE)
    return False


def _values(arguments: Sequence[str], names: Sequence[str]) -> list[str]:
    """What follows an option, up to the next one."""
    found: list[str] = []
    taking = False
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if argument.startswith("-"):
            taking = name in names
            found += [value] if taking and equals else []
        elif taking:
            found.append(argument)
    return found


def _profile_faults(name: str, *, given: bool) -> Iterator[str]:
    from cosee.artifacts import files
    from cosee.artifacts.files import ArtifactError
    from cosee.artifacts.yaml_file import parse_yaml
    from cosee.text.likeness import did_you_mean

    if name == "none":
        return
    place = next((each for each in (Path(name), Path("profiles") / name) if each.exists()), None)
    if place is None:
        there = sorted(str(each.parent) for each in Path("profiles").glob("*/config.yaml"))
        # A profile of the user's own may lie in Snakemake's folder, which Snakemake looks through itself.
        if given and ("/" in name or did_you_mean(name, there)):
            yield f"{name}: no such profile (there are {', '.join(there) or 'none'}){did_you_mean(name, there)}"
        return
    path = place / "config.yaml" if place.is_dir() else place
    if not path.is_file():
        return
    try:
        value = parse_yaml(files.read_bytes(path), str(path))
    except ArtifactError as error:
        yield str(error)
        return
    if isinstance(value, dict) and isinstance(value.get("executor"), str):
        yield from _executor_faults(value["executor"], str(path))


def _executor_faults(name: str, where: str) -> Iterator[str]:
    if name in OWN_EXECUTORS or find_spec(f"snakemake_executor_plugin_{name.replace('-', '_')}") is not None:
        return
    package = f"snakemake-executor-plugin-{name}"
    yield f"{where}: the executor {name!r} needs {package}: {EXTRAS.get(name, f'pip install {package}')}"
