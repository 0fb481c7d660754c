"""The files whose code decides what a stage writes: the import closure of its module inside ``cosee``, and of what it
finds by name in the registries.

Read from the text, imports inside functions included, so that nothing is imported to find out; the scheduler and every
job do it, and building syntax trees takes ten times as long. An edit of any of these files makes the stage stale; an
edit of any other file does not.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cosee.artifacts import files
from cosee.plugins import in_use
from cosee.registry import CLIENTS, MEASURES, METHODS, SCORERS, Registry

PACKAGE = "cosee"
SOURCE_ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(
    rf"^[ \t]*(?:from[ \t]+({PACKAGE}[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+({PACKAGE}[^\n#]*))",
    re.MULTILINE,
)
COMMENT = re.compile(r"#[^\n]*")
CODE_LINK = Path(".snakemake") / "code"
"""Holds a link to the package, for jobs in an environment of their own."""


STAGE_KINDS: Mapping[str, tuple[Registry, ...]] = {
    "enhance": (CLIENTS,),
    "index": (CLIENTS,),
    "answer": (CLIENTS,),
    "judge": (CLIENTS,),
    "evidence": (CLIENTS,),
    "evaluate": (MEASURES, SCORERS),
    "summarize": (MEASURES, SCORERS),
    "tabulate": (MEASURES, SCORERS),
}
"""Stage -> the kinds all of whose things it uses."""


@dataclass(frozen=True)
class Code:
    """What decides a job's outputs beside its inputs and settings."""

    files: Sequence[Path]
    plugins: Sequence[str] = ()
    """Names of the plugins among it."""

    @property
    def sha256(self) -> str:
        """One hash over file names and contents; those of a plugin and its version count, not where it lies."""
        return files.sha256_value([*([_place(path), files.sha256_file(path)] for path in self.files), *self.plugins])

    def digest(self) -> dict[str, str]:
        """File -> sha256 of its content: what a rule names as its input instead of a list of files."""
        return {_place(path): files.sha256_file(path) for path in self.files}


def stage_code(stage: str, methods: Collection[str] = ()) -> Code:
    """Code of a stage with what it uses by name: every thing of its kinds, and of answers, their methods alone."""
    used: list[tuple[Registry, str | None]] = [(registry, None) for registry in STAGE_KINDS.get(stage, ())]
    for method in methods:
        used += [(METHODS, method), *((registry, None) for registry in METHODS.get(method).about["uses"])]
    names = sorted({plugin for registry, name in used for plugin in registry.plugins(name)})
    sources = [source for registry, name in used for source in registry.sources(name)]
    brought = [in_use()[name].path for name in names]
    return Code(closure(f"cosee.stages.{stage}", *sources, *brought), names)


def closure(*starts: str | Path) -> list[Path]:
    """Files of modules and of everything in ``cosee`` that they import, sorted; templates of packages among them.

    A path stands for a file outside the package. Raises ValueError for an unknown module.
    """
    for start in starts:
        if isinstance(start, str) and _file(start) is None:
            raise ValueError(f"no module {start!r} in {PACKAGE}")
    outside = {start for start in starts if isinstance(start, Path)}
    seen: set[str] = set()
    waiting = [start for start in starts if isinstance(start, str)]
    waiting += [name for path in outside for name in imported(path.read_text(encoding="utf-8"))]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting.extend(_imports(name))
    found = {path for name in seen if (path := _file(name)) is not None}
    data = {data for path in found if path.name == "__init__.py" for data in _data(path.parent)}
    return sorted(found | data | outside)


def code_sha256(module: str) -> str:
    """One hash over the closure's file names and contents."""
    return Code(closure(module)).sha256


def _place(path: Path) -> str:
    return path.relative_to(SOURCE_ROOT).as_posix() if path.is_relative_to(SOURCE_ROOT / PACKAGE) else path.name


@cache
def _data(package: Path) -> tuple[Path, ...]:
    """Templates and the like that stand in folders of a package which are no packages themselves; not what Python
    keeps of modules, also of ones that are gone."""
    folders = [entry for entry in package.iterdir() if entry.is_dir() and not (entry / "__init__.py").exists()]
    return tuple(
        path
        for folder in folders
        if not folder.name.startswith(("__", "."))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


@cache
def _file(module: str) -> Path | None:
    base = SOURCE_ROOT.joinpath(*module.split("."))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Modules of the package that ``module`` imports, its parent packages among them."""
    path = _file(module)
    if path is None:
        return ()
    parts = module.split(".")
    found = {".".join(parts[:end]) for end in range(1, len(parts))}
    found.update(imported(path.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def imported(source: str) -> Iterator[str]:
    """Modules of the package that a module's text imports; of ``from a import b`` both ``a`` and, if one, ``a.b``."""
    for statement in IMPORT.finditer(source):
        module, names, modules = statement.groups()
        if module is None:
            yield from (each.split()[0] for each in modules.split(","))
            continue
        yield module
        for name in COMMENT.sub("", names).strip("()").split(","):
            words = name.split()
            if words and _file(f"{module}.{words[0]}") is not None:
                yield f"{module}.{words[0]}"


def jobs_run_this_code(*, own_environments: bool) -> None:
    """Let jobs find the Python of this process under ``python``, whether or not its environment is activated.

    By the environment and not by a prefix of each command: an environment of the job's own (``--sdm conda``) then
    comes before it, and the rules of a workflow that imports ours keep their commands. ``own_environments`` hold what
    CoSee needs and not CoSee: ``COSEE_CODE`` tells their jobs where this process has it.
    """
    folder = Path(sys.executable).parent
    if shutil.which("python") != str(folder / "python"):
        os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
    if own_environments:
        os.environ["COSEE_CODE"] = str(_package_alone())
    else:
        os.environ.pop("COSEE_CODE", None)


def _package_alone() -> Path:
    """A folder with the package and nothing beside it: what else is installed here is for another Python."""
    link = CODE_LINK / PACKAGE
    if not link.is_symlink() or link.resolve() != SOURCE_ROOT / PACKAGE:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(SOURCE_ROOT / PACKAGE)
    return CODE_LINK.resolve()
