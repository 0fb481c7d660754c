"""The regression gate: what counts as a fall, what accepting writes, and when a kept result is used again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks import regressions
from benchmarks.regressions_compare import Entry, Result, accept, compare, falls, is_fall
from benchmarks.regressions_kept import Item, code_digest, code_files, measure_all
from benchmarks.regressions_parts import PARTS, Folders, Part


@pytest.mark.parametrize(
    ("before", "now", "questions", "fell"),
    [
        (0.9, 0.88, None, False),
        (0.9, 0.8799, None, True),
        (0.5, 0.48, None, False),
        (0.9, 0.95, None, False),
        (0.6667, 0.3333, 9, False),
        (0.9, 0.8, 10, False),
        (0.9, 0.7, 10, True),
        (0.9, 0.89, 97, False),
        (0.6701, 0.6495, 97, True),
        (0.6667, 0.6111, 18, False),
    ],
)
def test_a_fall_is_more_than_the_tolerance_and_more_than_one_question(
    before: float, now: float, questions: int | None, fell: bool
) -> None:
    assert is_fall(before, now, questions) is fell


def test_each_document_is_compared_and_none_is_silently_absent() -> None:
    accepted: dict[str, Entry] = {
        "same": {"title_f1": 0.8, "level_f1": 0.7},
        "lower": {"title_f1": 0.8, "level_f1": 0.7},
        "higher": {"title_f1": 0.8, "level_f1": 0.7},
        "small": {"accuracy": 0.5, "questions": 2},
        "never": {"title_f1": 0.0, "failure": "encrypted"},
        "figure gone": {"title_f1": 0.8, "level_f1": 0.7},
    }
    measured = {
        "same": Result({"title_f1": 0.8, "level_f1": 0.7}),
        "lower": Result({"title_f1": 0.8, "level_f1": 0.6}),
        "higher": Result({"title_f1": 0.9, "level_f1": 0.7}),
        "small": Result({}, failure="crash: the process died"),
        "never": Result({"title_f1": 0.0}, failure="encrypted"),
        "figure gone": Result({"title_f1": 0.8}),
        "another": Result({"title_f1": 0.1}),
    }
    found = compare(accepted, measured)
    assert [(each.document, each.figure, each.now) for each in found.falls] == [
        ("figure gone", "level_f1", None), ("lower", "level_f1", 0.6), ("small", "accuracy", None),
    ]  # fmt: skip
    assert found.unexplained == found.fell == {"figure gone", "lower", "small"}
    assert found.rose == {"higher": pytest.approx(0.1)}
    assert found.new == ["another"]
    assert found.pairs["accuracy"] == [(0.5, 0.0)]


def test_a_fall_is_accepted_only_with_a_reason_which_stays_until_it_is_made_good() -> None:
    entries: dict[str, Entry] = {"a": {"title_f1": 0.8}, "b": {"title_f1": 0.5}}
    lower = {"a": Result({"title_f1": 0.7}), "b": Result({"title_f1": 0.6})}
    with pytest.raises(ValueError, match="1 fell and need a reason: a"):
        accept(entries, lower, None)
    entries = accept(entries, lower, "one title is two now")
    assert entries["a"] == {"title_f1": 0.7, "reason": "one title is two now", "from": {"title_f1": 0.8}}
    assert entries["b"] == {"title_f1": 0.6}

    found = compare(entries, lower)
    assert (found.fell, found.unexplained) == ({"a"}, set())
    assert found.falls[0].why == "one title is two now"

    again = {"a": Result({"title_f1": 0.65}), "b": Result({"title_f1": 0.6})}
    assert compare(entries, again).unexplained == {"a"}
    entries = accept(entries, again, "and three")
    assert entries["a"] == {"title_f1": 0.65, "reason": "and three", "from": {"title_f1": 0.8}}

    entries = accept(entries, {"a": Result({"title_f1": 0.79})}, None)
    assert entries == {"a": {"title_f1": 0.79}, "b": {"title_f1": 0.6}}


def test_a_figure_does_not_creep_down_within_the_tolerance() -> None:
    entries: dict[str, Entry] = {"a": {"title_f1": 0.8}}
    for value in (0.79, 0.785, 0.78):
        entries = accept(entries, {"a": Result({"title_f1": value})}, None)
    assert entries == {"a": {"title_f1": 0.8}}
    assert compare(entries, {"a": Result({"title_f1": 0.77})}).unexplained == {"a"}


def test_a_document_that_fails_is_accepted_with_a_reason_and_keeps_it_whatever_its_size() -> None:
    entries: dict[str, Entry] = {"a": {"accuracy": 0.5, "questions": 3}}
    failing = {"a": Result({"accuracy": 0.0}, 3, "no_index: damaged")}
    entries = accept(entries, failing, "the file is damaged")
    assert entries["a"]["failure"] == "no_index: damaged" and entries["a"]["accuracy"] == 0
    found = compare(entries, failing)
    assert (found.fell, found.unexplained) == ({"a"}, set())
    assert accept(entries, failing, None) == entries
    assert accept(entries, {"a": Result({"accuracy": 0.5}, 3)}, None) == {"a": {"accuracy": 0.5, "questions": 3}}


def test_only_the_named_documents_are_accepted() -> None:
    entries: dict[str, Entry] = {"a": {"title_f1": 0.8}, "b": {"title_f1": 0.8}}
    measured = {"a": Result({"title_f1": 0.9}), "b": Result({"title_f1": 0.1}), "c": Result({"title_f1": 0.1})}
    assert accept(entries, measured, None, ["a"]) == {"a": {"title_f1": 0.9}, "b": {"title_f1": 0.8}}


def test_the_sample_is_fixed_and_grows_by_whole_documents() -> None:
    documents: dict[str, int | None] = dict.fromkeys(f"document {number}" for number in range(50))
    five = regressions.sample(documents, 5)
    assert len(five) == 5 and five == regressions.sample(dict(sorted(documents.items(), reverse=True)), 5)
    assert five < regressions.sample(documents, 6)
    assert regressions.sample(documents, None) == regressions.sample(documents, 99) == set(documents)
    assert five != set(sorted(documents)[:5])
    asked: dict[str, int | None] = {name: 3 if name in five else 20 for name in documents}
    assert not five & regressions.sample(asked, 45) and five < regressions.sample(asked, 50)


def test_documents_with_few_questions_are_held_together(gate: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(0.8, 0.8, "--accept", questions=8)[0] == 0
    capsys.readouterr()
    assert gate(0.6, 0.7, questions=8) == (0, {"documents": 2, "fell": 0, "fell_unexplained": 0})
    assert "2 documents with too few questions to fall by themselves fell together" in capsys.readouterr().out
    gate(0.7, 0.8, questions=8)
    assert "together" not in capsys.readouterr().out


class Measuring:
    """Items that leave a line for each time they are measured."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "measured.txt"
        self.log.touch()

    def item(
        self,
        name: str,
        *,
        pdf: str = "",
        value: float | None = 0.5,
        die: bool = False,
        truth: Any = None,
        questions: int | None = None,
    ) -> Item:
        path = self.folder / f"{pdf or name}.pdf"
        if not path.exists():
            path.write_bytes(f"%PDF {path.stem}".encode())

        def measure() -> Result:
            with self.log.open("a") as log:
                log.write(f"{name}\n")
            if die:
                os._exit(9)
            if value is None:
                raise ValueError("cannot be read")
            return Result({"title_f1": value}, questions)

        return Item("headings", name, path, truth, measure, questions)

    def run(self, *items: Item, code: str = "1") -> dict[str, Result]:
        found = measure_all(items, {"headings": code}, self.folder / "work", 2)
        return {document: result for (_, document), result in found.results.items()}

    @property
    def measured(self) -> list[str]:
        """What was measured since this was last asked."""
        names = sorted(self.log.read_text().split())
        self.log.write_text("")
        return names


def test_a_kept_result_is_used_until_code_bytes_or_truth_change(tmp_path: Path) -> None:
    measuring = Measuring(tmp_path)
    item = measuring.item("a", value=1 / 3)
    assert measuring.run(item) == measuring.run(item) == {"a": Result({"title_f1": 0.3333})}
    assert measuring.measured == ["a"]
    measuring.run(item, code="2")
    assert measuring.measured == ["a"]
    measuring.run(item, code="1")
    assert measuring.measured == []
    measuring.run(measuring.item("a", truth=["other"]))
    assert measuring.measured == ["a"]
    item.pdf.write_bytes(b"%PDF other")
    measuring.run(item)
    assert measuring.measured == ["a"]


def test_a_document_that_crashes_or_raises_costs_itself_alone_and_is_tried_again(tmp_path: Path) -> None:
    measuring = Measuring(tmp_path)
    items = [
        measuring.item("before", pdf="shared"), measuring.item("dies", pdf="shared", die=True),
        measuring.item("after", pdf="shared"), measuring.item("raises", value=None), measuring.item("other"),
    ]  # fmt: skip
    found = measuring.run(*items)
    assert {name for name in found if found[name].figures} == {"before", "after", "other"}
    assert "exit code 9" in (found["dies"].failure or "") and found["raises"].failure == "ValueError: cannot be read"
    assert measuring.measured == ["after", "before", "dies", "other", "raises"]
    assert measuring.run(*items) == found
    assert measuring.measured == ["dies", "raises"]


def test_the_digest_of_code_follows_imports_of_benchmarks_and_of_the_library(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    for name, text in {
        "a": "from benchmarks.b import x", "b": "from benchmarks import c", "c": "", "d": "import os",
    }.items():  # fmt: skip
        (folder / f"{name}.py").write_text(text + "\n")
    before = code_digest(["benchmarks.a"], tmp_path)
    (folder / "d.py").write_text("import sys\n")
    assert code_digest(["benchmarks.a"], tmp_path) == before
    (folder / "c.py").write_text("from cosee.artifacts.files import sha256_file\n")
    assert code_digest(["benchmarks.a"], tmp_path) != before
    (folder / "c.py").write_text("\n")
    assert code_digest(["benchmarks.a"], tmp_path) == before


def test_every_part_depends_on_the_code_it_measures_and_parsing_on_no_agent() -> None:
    parsing = {"benchmarks/doctree_read.py", "cosee/stages/build.py", "cosee/parse/content/adapt.py"}
    wanted = {
        "headings": {"benchmarks/doctree_headings.py"},
        "tables": {"benchmarks/doctree_cells.py", "benchmarks/doctree_tables.py"},
        "text": {"benchmarks/doctree_markdown.py", "benchmarks/olmocr_tests.py"},
        "pages": {"benchmarks/prepare.py", "cosee/stages/index.py", "cosee/retrieval/retriever.py"},
        "answers": {"benchmarks/prepare.py", "cosee/stages/answer.py", "cosee/reader/answer.py"},
    }
    for part, files in wanted.items():
        found = set(code_files(PARTS[part].modules))
        assert not files - found, part
        assert part in ("pages", "answers") or not parsing - found, part
        assert part == "answers" or not any(name.startswith("cosee/agents/") for name in found), part


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The command on two made documents, whose figures the test gives."""
    (tmp_path / "qa").mkdir()
    (tmp_path / "qa" / "questions.jsonl").write_text("")
    (tmp_path / "parse").mkdir()
    measuring = Measuring(tmp_path)
    monkeypatch.setattr(regressions, "surroundings", lambda: {"ocr": "engine 1"})

    def run(first: float, second: float | None, *more: str, questions: int | None = None) -> tuple[int, dict[str, Any]]:
        def items(_: Folders) -> Iterator[Item]:
            yield measuring.item("first", value=first, truth=[first, questions], questions=questions)
            if second is not None:
                yield measuring.item("second", value=second, truth=[second, questions], questions=questions)

        monkeypatch.setitem(PARTS, "headings", Part(items, ()))
        folders = [f"--{name}={tmp_path / name}" for name in ("qa", "parse", "work", "accepted")]
        status = regressions.main([*folders, f"--json={tmp_path / 'out.json'}", "--parts=headings", "--jobs=1", *more])
        value: dict[str, Any] = json.loads((tmp_path / "out.json").read_text("utf-8"))
        return status, value["figures"]

    yield run


def test_the_command_from_new_documents_to_an_accepted_fall(
    gate: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = {"documents": 2, "fell": 0, "fell_unexplained": 0}
    assert gate(0.8, 0.8) == (0, nothing)
    assert not (tmp_path / "accepted").exists()
    assert gate(0.8, 0.8, "--accept") == (0, nothing)
    capsys.readouterr()

    fallen = {"documents": 2, "fell": 1, "fell_unexplained": 1}
    assert gate(0.8, 0.7) == (1, fallen)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("headings second")]
    assert line.split() == ["headings", "second", "title_f1", "0.800", "0.800", "0.700", "unexplained"]
    assert gate(0.8, None) == (1, fallen)
    assert "it or its truth is not there" in capsys.readouterr().out

    assert gate(0.8, 0.7, "--accept") == (2, fallen)
    assert "headings: 1 fell and need a reason: second" in capsys.readouterr().err
    assert gate(0.8, 0.7, "--accept", "--reason", "a title less", "--only", "third") == (2, fallen)
    assert "--only third" in capsys.readouterr().err
    assert gate(0.8, 0.7, "--accept", "--reason", "a title less") == (0, {**fallen, "fell_unexplained": 0})
    accepted = json.loads((tmp_path / "accepted" / "headings.json").read_text("utf-8"))
    assert accepted["second"] == {"title_f1": 0.7, "reason": "a title less", "from": {"title_f1": 0.8}}
    assert gate(0.8, 0.7) == (0, {**fallen, "fell_unexplained": 0})


def test_another_engine_is_told_and_uses_nothing_that_was_kept(
    gate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "measured.txt"
    gate(0.8, 0.8, "--accept")
    gate(0.8, 0.8)
    assert len(log.read_text().split()) == 2 and "alone may change" not in capsys.readouterr().out
    monkeypatch.setattr(regressions, "surroundings", lambda: {"ocr": "engine 2"})
    gate(0.8, 0.8, "--accept", "--documents=1")
    told = "headings: accepted with ocr engine 1, measured with engine 2: that alone may change figures"
    assert len(log.read_text().split()) == 3 and told in capsys.readouterr().out
    gate(0.8, 0.8, "--accept")
    assert told not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--parts=pictures"], "'pictures'"),
        (["--documents=0"], "--documents 0"),
        (["--jobs=-1"], "--jobs -1"),
        (["--parse=nowhere"], "nowhere"),
        (["--qa=nowhere"], "nowhere"),
        (["--reason=because"], "'because'"),
        (["--accept", "--reason= "], "' '"),
    ],
)
def test_a_wrong_option_is_named(gate: Any, options: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        gate(0.8, 0.8, *options)
    assert stopped.value.code == 2 and named in capsys.readouterr().err


def test_falls_are_told_for_each_figure() -> None:
    entry: Entry = {"title_f1": 0.8, "level_f1": 0.8, "reason": "levels", "from": {"level_f1": 0.9}}
    found = falls("a", entry, Result({"title_f1": 0.7, "level_f1": 0.8}))
    assert [(each.figure, each.best, each.explained) for each in found] == [
        ("level_f1", 0.9, True), ("title_f1", 0.8, False),
    ]  # fmt: skip
