"""Whatever a document, a question, a model or a file name says is text in the report: no tag, no handler, no link."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.run_maker import DATASET, METHODS, RUN, make_run

from cosee.artifacts import files
from cosee.stages import evaluate, summarize

POISONS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</title></textarea></style><svg onload=alert(1)>",
    "{{ 7*7 }}{% raw %}<b>",
    "&lt;i&gt; ]]><iframe srcdoc=x>",
    "<!--",
)
KEPT = {
    "doc_id", "dataset", "method", "question_id", "status", "exit_reason", "answer_format", "evidence_mode", "type",
    "node_id", "id", "parent", "children", "schema_version", "kind", "role", "config_hash", "state", "shard", "sha256",
    "bbox", "schema", "coordinates", "language", "run", "strategy", "reason",
}  # fmt: skip
"""Keys of which the program itself checks the values, or that join files."""


class Seen(HTMLParser):
    """Tags with the names of their attributes, and the addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shapes: set[tuple[str, tuple[str, ...]]] = set()
        self.addresses: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shapes.add((tag, tuple(sorted(name for name, _ in attrs))))
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "srcdoc")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def poisoned(value: Any, poison: Callable[[], str], key: str = "") -> Any:
    """The value with a poison behind every text that the program does not check."""
    if isinstance(value, dict):
        return {name: poisoned(each, poison, name) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each, poison, key) for each in value]
    return f"{value} {poison()}" if isinstance(value, str) and key not in KEPT else value


def poison_run(root: Path) -> None:
    count = iter(range(10**9))

    def poison() -> str:
        return POISONS[next(count) % len(POISONS)]

    chosen = [
        *root.glob("data/*/qa/questions.jsonl"),
        *root.glob("data/*/.ledger/*.jsonl"),
        *root.glob("results/*/predictions/*.jsonl"),
        *root.glob("results/*/traces/*/*/*.ndjson"),
    ]
    for path in chosen:
        files.write_jsonl(path, [poisoned(row, poison) for _, row in files.iter_jsonl(path)])
    for path in root.glob("data/*/*/doctree.mm.json"):
        files.write_json(path, poisoned(files.read_json(path), poison))


def site(root: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert evaluate.main(["--run", RUN, "--methods", *METHODS, "--datasets", DATASET]) == 0
        assert summarize.main(["--runs", RUN]) == 0
    return root / "results" / "report"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The report of a run, and of the same run with poison in every text."""
    plain, hostile = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("hostile")
    make_run(plain)
    shutil.copytree(plain, hostile, dirs_exist_ok=True)
    poison_run(hostile)
    return site(plain), site(hostile)


def seen(folder: Path) -> dict[str, Seen]:
    return {
        path.relative_to(folder).as_posix(): Seen(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")
    }


def test_hostile_texts_add_no_tag_and_no_attribute(sites: tuple[Path, Path]) -> None:
    plain, hostile = (seen(folder) for folder in sites)
    known = {shape for page in plain.values() for shape in page.shapes}
    names = {tag: {name for each, names in known if each == tag for name in names} for tag, _ in known}
    for name, page in hostile.items():
        for tag, attributes in page.shapes:
            assert tag in names and set(attributes) <= names[tag], f"{name}: <{tag} {' '.join(attributes)}>"


def test_hostile_texts_make_no_address(sites: tuple[Path, Path]) -> None:
    own = {address for page in seen(sites[0]).values() for address in page.addresses if address.startswith("data:")}
    assert own <= {"data:,"}, "the empty icon"
    for name, page in seen(sites[1]).items():
        for address in set(page.addresses) - own:
            assert re.fullmatch(r"[\w./%#&=+-]+", address), f"{name}: {address}"
            assert not re.match(r"(?i)[a-z]+:|//", address), f"{name}: {address}"


def test_hostile_texts_are_shown_as_they_are(sites: tuple[Path, Path]) -> None:
    texts = "\n".join(text for page in seen(sites[1]).values() for text in page.texts)
    for poison in POISONS:
        assert poison in texts or " ".join(poison.split()) in " ".join(texts.split()), poison


def test_scripts_hold_the_programs_own_text_alone(sites: tuple[Path, Path]) -> None:
    plain, hostile = sites
    own = {path.name: path.read_bytes() for path in (plain / "static").iterdir()}
    assert {path.name: path.read_bytes() for path in (hostile / "static").iterdir()} == own
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", str(own.values()))
    for path in set(hostile.rglob("*.js")) - set((hostile / "static").iterdir()):
        text = path.read_text(encoding="utf-8")
        found = re.fullmatch(r"[\w.()|=\[\] ]+?(\{.*\})\)?;?\s*", text, re.DOTALL)
        assert found and isinstance(json.loads(found[1]), dict), f"{path.name}: data as JSON in one statement"
        assert "<" not in text and "\u2028" not in text, f"{path.name}: nothing ends its string or its element"
