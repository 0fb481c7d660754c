"""The import graph has no circle and no arrow up: in the whole tree, and inside each folder."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from helpers.import_graph import among_siblings, circles, import_graph
from helpers.source_imports import Import, imports

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = PROJECT / "src"
TREES = ("src/cosee", "benchmarks", "tools", "tests/helpers")
"""The packages whose files are looked at together."""
MOST_FILES = 25
"""Files of one folder that can be taken in at a glance."""
FLOORS = [
    "registry", "artifacts", "machine", "plugins", "project", "text", "question", "geometry", "imaging", "models",
    "pipeline",
    "parse", "structure", "index", "quality", "retrieval", "agents", "reader", "datasets", "evaluation", "report",
    "export", "runs", "stages", "commands", "cli",
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


def test_no_import_goes_up() -> None:
    # contract: C65
    assert violations(SOURCE) == []


def test_only_stages_and_commands_import_the_reader() -> None:
    importers = {source for source, target, _ in own_imports(SOURCE) if target == "reader"}
    assert importers == {"reader", "stages", "commands"}


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = import_graph(PROJECT, TREES)
    assert len(graph) > 500
    assert circles(graph) == []


def test_no_neighbours_in_a_folder_import_each_other_in_a_circle() -> None:
    levels = among_siblings(import_graph(PROJECT, TREES))
    assert {".", "src/cosee", "src/cosee/agents", "benchmarks"} <= set(levels)
    assert {folder: found for folder, graph in levels.items() if (found := circles(graph))} == {}


def test_no_folder_is_a_heap() -> None:
    folders = Counter(path.parent for path in (SOURCE / "cosee").rglob("*.py") if path.name != "__init__.py")
    assert {folder.relative_to(SOURCE).as_posix(): n for folder, n in folders.items() if n > MOST_FILES} == {}


def test_every_folder_has_a_floor() -> None:
    entries = (SOURCE / "cosee").iterdir()
    folders = {path.name for path in entries if path.is_dir() and any(path.rglob("*.py"))}
    assert folders <= set(FLOORS)


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("artifacts/a.py", "\n\nfrom cosee.models import base", "src/cosee/artifacts/a.py:3 imports cosee.models.base"),
        ("artifacts/a.py", "def f():\n    import cosee.models.base", "a.py:2 imports cosee.models.base"),
        ("models/local/a.py", "from ...agents import context", "imports cosee.agents.context"),
        ("report/a.py", "from cosee.pipeline import stage", "report knows no pipeline"),
        ("evaluation/a.py", "import cosee.agents.context", "evaluation knows no agents"),
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


def tree(root: Path, **sources: str) -> Path:
    """A project of the given files: ``src__cosee__a="..."`` is ``src/cosee/a.py``."""
    for name, source in sources.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return root


@pytest.mark.parametrize(
    "back",
    [
        "import cosee.index.rows",
        "from cosee.index import rows",
        "from . import rows",
        "from .rows import width",
        "def f():\n    from cosee.index.rows import width",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cosee.index.rows import width",
    ],
)
def test_a_circle_of_files_is_named_however_they_import_each_other(tmp_path: Path, back: str) -> None:
    project = tree(
        tmp_path,
        src__cosee__index__rows="from cosee.index.store import load",
        src__cosee__index__store="from cosee.index import view",
        src__cosee__index__view=back,
        src__cosee__index__build="import cosee.index.rows",
    )
    assert circles(import_graph(project, ["src/cosee"])) == [
        "src/cosee/index/rows.py -> src/cosee/index/store.py -> src/cosee/index/view.py -> src/cosee/index/rows.py"
    ]


def test_each_circle_is_named_once(tmp_path: Path) -> None:
    files = {"a": "b", "b": "a", "c": "d", "d": "e", "e": "c", "f": "a"}
    project = tree(tmp_path, **{f"tools__{name}": f"import tools.{other}" for name, other in files.items()})
    assert circles(import_graph(project, ["tools"])) == [
        "tools/a.py -> tools/b.py -> tools/a.py",
        "tools/c.py -> tools/d.py -> tools/e.py -> tools/c.py",
    ]


def test_a_circle_of_neighbours_is_named_where_no_files_are_in_one(tmp_path: Path) -> None:
    project = tree(
        tmp_path,
        src__cosee__agents__chat__a="import cosee.agents.board.a",
        src__cosee__agents__board__a="import cosee.agents.replies",
        src__cosee__agents__replies="import cosee.agents.chat.b",
        src__cosee__agents__chat__b="import benchmarks.cases",
        benchmarks__cases="import cosee.agents.chat.c",
        src__cosee__agents__chat__c="",
    )
    graph = import_graph(project, ["src/cosee", "benchmarks"])
    assert circles(graph) == []
    assert {folder: circles(each) for folder, each in among_siblings(graph).items()} == {
        ".": ["benchmarks/ -> src/ -> benchmarks/"],
        "src/cosee/agents": [
            "src/cosee/agents/board/ -> src/cosee/agents/replies.py -> src/cosee/agents/chat/ -> "
            "src/cosee/agents/board/"
        ],
    }
