"""Which file of a tree imports which, imports inside functions and for types included, and the circles among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from helpers.source_imports import imports

Graph = dict[str, set[str]]
"""Name -> the names that it imports."""


def import_graph(project: Path, packages: Iterable[str]) -> Graph:
    """Files below ``packages`` (folders below ``project``), by their path below it."""
    files: dict[str, Path] = {}
    for package in packages:
        root = (project / package).parent
        for path in sorted((project / package).rglob("*.py")):
            files[".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")] = path
    graph: Graph = {}
    for module, path in files.items():
        inside = module if path.name == "__init__.py" else module.rpartition(".")[0]
        found = {_file_of(each.module, files) for each in imports(path, package=inside)} - {None, path}
        graph[path.relative_to(project).as_posix()] = {each.relative_to(project).as_posix() for each in found if each}
    return graph


def _file_of(module: str, files: Mapping[str, Path]) -> Path | None:
    """The file of a module, or of the one that an imported name belongs to."""
    while module and module not in files:
        module = module.rpartition(".")[0]
    return files.get(module)


def among_siblings(graph: Graph) -> dict[str, Graph]:
    """Folder -> the graph of what lies in it, its folders each as one: ``{"src/cosee": {"src/cosee/index/": ...}}``."""
    levels: dict[str, Graph] = {}
    for source, targets in graph.items():
        for folder in map(str, PurePosixPath(source).parents):
            for target in targets:
                if (one := _child(folder, source)) and (other := _child(folder, target)) and one != other:
                    levels.setdefault(folder, {}).setdefault(one, set()).add(other)
    return levels


def _child(folder: str, path: str) -> str | None:
    """What lies in ``folder`` and is or holds ``path``, a folder with a slash at its end; None for a path elsewhere."""
    if not PurePosixPath(path).is_relative_to(folder):
        return None
    first, *rest = PurePosixPath(path).relative_to(folder).parts
    return str(PurePosixPath(folder) / first) + ("/" if rest else "")


def circles(graph: Graph) -> list[str]:
    """A shortest circle through each name that is on one: ``a.py -> b.py -> a.py``; names told once are left out."""
    lines: list[str] = []
    told: set[str] = set()
    for name in sorted(graph):
        if name not in told and (way := _way_back(graph, name)):
            told.update(way)
            lines.append(" -> ".join(way))
    return lines


def _way_back(graph: Graph, start: str) -> list[str]:
    """A shortest way from a name to itself; empty where there is none."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for following in sorted(graph.get(way[-1], ())):
            if following == start:
                return [*way, start]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return []
