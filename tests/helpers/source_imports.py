"""Imports of source files, read from their syntax trees; for the tests of layers and static rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One imported module. ``nested``: inside a function. ``typing_only``: below ``if TYPE_CHECKING``."""

    path: Path
    line: int
    module: str
    nested: bool
    typing_only: bool


def imports(path: Path, source: str | None = None, package: str = "") -> Iterator[Import]:
    """Every import of a file, ``from a import b`` as ``a.b`` too; ``package`` resolves relative ones."""
    yield from _walk(syntax_tree(path, source), path, package, nested=False, typing_only=False)


@cache
def syntax_tree(path: Path, source: str | None) -> ast.Module:
    """The syntax tree of a file, or of ``source`` under the file's name."""
    return ast.parse(path.read_text(encoding="utf-8") if source is None else source, str(path))


def _walk(node: ast.AST, path: Path, package: str, *, nested: bool, typing_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        for module in _modules(child, package):
            yield Import(path, child.lineno, module, nested, typing_only)  # type: ignore[attr-defined]
        inside = nested or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        checking = typing_only or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
        inside = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        checking = checking or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test))
        yield from _walk(child, path, package, nested=inside, typing_only=checking)


def _modules(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            yield f"{base}.{alias.name}"
