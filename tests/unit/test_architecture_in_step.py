"""docs/architecture.md names every folder of the library and none that is not there, in the order of the floors."""

import re
from pathlib import Path

from test_layers import FLOORS

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = PROJECT / "src" / "cosee"
PAGE = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_is_named_and_every_name_is_a_folder() -> None:
    folders = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")} - {"."}
    tops = {folder.split("/")[0] for folder in folders}
    named = {name for name in re.findall(r"`((?:\w+/)+)`", PAGE) if name.split("/")[0] in tops}
    assert {name.rstrip("/") for name in named} == folders


def test_every_file_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:[\w.]+/)*[\w.]+\.(?:py|smk|md|yaml))`", PAGE))
    roots = (PACKAGE, PROJECT, PACKAGE / "agents", PACKAGE / "artifacts", PACKAGE / "retrieval")
    assert len(named) > 15
    assert {name for name in named if not any((root / name).is_file() for root in roots)} == set()


def test_the_floors_are_told_from_the_ground_up() -> None:
    told = [name.removesuffix(".py").rstrip("/") for name in re.findall(r"^\*\*`([\w./]+)`\*\*", PAGE, re.MULTILINE)]
    known = [floor for floor in FLOORS if floor not in ("cli", "")]
    assert sorted(told) == sorted(known)
    assert told == sorted(told, key=known.index)
