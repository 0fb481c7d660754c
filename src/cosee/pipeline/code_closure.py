"""The files whose code decides what a stage writes: the import closure of its module inside ``cosee``.

Read from the text, imports inside functions included, so that nothing is imported to find out; the scheduler and every
job do it, and building syntax trees takes ten times as long. An edit of any of these files makes the stage stale; an
edit of any other file does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cosee.artifacts import files

PACKAGE = "cosee"
SOURCE_ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(
    rf"^[ \t]*(?:from[ \t]+({PACKAGE}[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+({PACKAGE}[^\n#]*))",
    re.MULTILINE,
)
COMMENT = re.compile(r"#[^\n]*")


def closure(module: str) -> list[Path]:
    """Files of ``module`` and of everything in ``cosee`` that it imports, sorted; templates of packages among them.

    Raises ValueError for an unknown module.
    """
    if _file(module) is None:
        raise ValueError(f"no module {module!r} in {PACKAGE}")
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting.extend(_imports(name))
    found = {path for name in seen if (path := _file(name)) is not None}
    return sorted(found | {data for path in found if path.name == "__init__.py" for data in _data(path.parent)})


def code_sha256(module: str) -> str:
    """One hash over the closure's file names and contents."""
    return files.sha256_value(
        [[path.relative_to(SOURCE_ROOT).as_posix(), files.sha256_file(path)] for path in closure(module)]
    )


@cache
def _data(package: Path) -> tuple[Path, ...]:
    """Templates and the like that stand in folders of a package which are no packages themselves."""
    folders = [entry for entry in package.iterdir() if entry.is_dir() and not (entry / "__init__.py").exists()]
    return tuple(
        path
        for folder in folders
        if not folder.name.startswith(("__", "."))
        for path in folder.rglob("*")
        if path.is_file()
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
