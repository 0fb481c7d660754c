"""The floors of src/cosee: lower ones import nothing from higher ones, and no two folders import each other."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from helpers.source_imports import Import, imports

SOURCE = Path(__file__).resolve().parents[2] / "src"
FLOORS = [
    "artifacts", "text", "question", "geometry", "imaging", "models", "pipeline", "parse", "structure", "index",
    "quality", "retrieval", "agents", "reader", "datasets", "evaluation", "report", "runs", "stages", "commands", "cli",
    "",
]  # fmt: skip
"""From the ground up; the last is ``cosee/__init__.py``."""

LIBRARIES = FLOORS[FLOORS.index("imaging") : FLOORS.index("runs")]
LIBRARIES.remove("pipeline")


def floor_of(module: str) -> str:
    """``cosee.models.base`` -> ``models``; ``cosee`` -> the empty name."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def module_of(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


@cache
def own_imports(root: Path) -> list[tuple[str, str, Import]]:
    """(floor of the importing file, floor of what it imports, the import) for each import inside the package."""
    folders = {path.name for path in (root / "cosee").iterdir()} | {path.stem for path in (root / "cosee").glob("*.py")}
    result = []
    for path in sorted((root / "cosee").rglob("*.py")):
        module = module_of(path, root)
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for found in imports(path, package=package):
            parts = found.module.split(".")
            if parts[0] == "cosee":
                target = parts[1] if len(parts) > 1 and parts[1] in folders else ""
                result.append((floor_of(module), target, found))
    return result


def violations(root: Path) -> list[str]:
    """One line for each import that goes up, or from a library into the pipeline, or from evaluation to agents."""
    lines = []
    for source, target, found in own_imports(root):
        where = f"{found.path.relative_to(root.parent)}:{found.line} imports {found.module}"
        if source not in FLOORS or target not in FLOORS:
            lines.append(f"{where}: {source!r} or {target!r} is on no floor")
        elif FLOORS.index(target) > FLOORS.index(source):
            lines.append(f"{where}: {target or 'cosee'} is above {source}")
        elif (source in LIBRARIES and target == "pipeline") or (source == "evaluation" and target == "agents"):
            lines.append(f"{where}: {source} knows no {target}")
    return lines


def cycles(root: Path) -> list[str]:
    """Pairs of folders that reach each other."""
    graph: dict[str, set[str]] = defaultdict(set)
    for source, target, _ in own_imports(root):
        if source != target:
            graph[source].add(target)

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for following in graph[waiting.pop()] - seen:
                seen.add(following)
                waiting.append(following)
        return seen

    return sorted(f"{first} <-> {second}" for first in list(graph) for second in reachable(first)
                  if first < second and first in reachable(second))  # fmt: skip


def test_no_import_goes_up() -> None:
    # contract: C65
    assert violations(SOURCE) == []


def test_only_a_run_that_names_no_model_imports_the_reader() -> None:
    importers = {source for source, target, _ in own_imports(SOURCE) if target == "reader"}
    assert importers == {"reader", "runs"}


def test_no_two_folders_import_each_other() -> None:
    assert cycles(SOURCE) == []


def test_every_folder_has_a_floor() -> None:
    entries = (SOURCE / "cosee").iterdir()
    folders = {path.name for path in entries if path.is_dir() and any(path.rglob("*.py"))}
    assert folders <= set(FLOORS)


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("artifacts/a.py", "\n\nfrom cosee.models import base", "src/cosee/artifacts/a.py:3 imports cosee.models.base"),
        ("artifacts/a.py", "def f():\n    import cosee.models.base", "a.py:2 imports cosee.models.base"),
        ("models/local/a.py", "from ...agents import strategy", "imports cosee.agents.strategy"),
        ("report/a.py", "from cosee.pipeline import stage", "report knows no pipeline"),
        ("evaluation/a.py", "import cosee.agents.strategy", "evaluation knows no agents"),
        ("stages/a.py", "from cosee import run", "cosee is above stages"),
        ("gadgets/a.py", "import cosee.artifacts.base", "on no floor"),
    ],
)
def test_an_upward_import_is_named_with_file_and_line(tmp_path: Path, path: str, source: str, complaint: str) -> None:
    root = tmp_path / "src"
    for folder in ("artifacts", "models", "pipeline", "agents"):
        (root / "cosee" / folder).mkdir(parents=True)
    target = root / "cosee" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source)
    (found,) = violations(root)
    assert complaint in found


def test_a_cycle_is_named(tmp_path: Path) -> None:
    root = tmp_path / "src"
    chain = {"agents": "retrieval", "retrieval": "index", "index": "agents"}
    for folder, target in chain.items():
        (root / "cosee" / folder).mkdir(parents=True)
        (root / "cosee" / folder / "a.py").write_text(f"import cosee.{target}.a")
    assert cycles(root) == ["agents <-> index", "agents <-> retrieval", "index <-> retrieval"]
