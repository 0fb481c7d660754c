from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import heading_evidence
from benchmarks.doctree_headings import Title, compare
from benchmarks.heading_evidence import cut, example, examples
from benchmarks.structure import figures_of
from benchmarks.structure_set import CONTENT, Reader, Truth, fold_of, read_truth
from helpers.content_lists import Pages

from cosee.artifacts.documents.content import ContentList


def truth(*headings: Title, complete: bool = True) -> Truth:
    return Truth("doc", "family", "report", "en", complete, headings, Path("doc.pdf"))


def report() -> Pages:
    pages = Pages()
    for page in range(6):
        pages.heading(f"{page + 1} Part {'ABCDEF'[page]}")
        pages.body(page, words=15)
        if page < 5:
            pages.page()
    return pages


def test_levels_of_a_document_that_was_cut_begin_at_one(tmp_path: Path) -> None:
    row = {
        "doc_id": "a", "family": "f", "genre": "g", "language": "en", "coverage": "full",
        "headings": [{"title": "Deep", "page": 1, "level": 4}, {"title": "Less", "page": 1, "level": 3}],
    }  # fmt: skip
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "a.json").write_text(json.dumps(row))
    (one,) = read_truth(tmp_path)
    assert ([title.level for title in one.headings], one.complete) == ([2, 1], True)
    assert read_truth(tmp_path, ["b"]) == []


@pytest.mark.parametrize("complete", [True, False])
def test_what_stands_before_the_first_listed_heading_is_not_held_against_it(complete: bool) -> None:
    known = truth(Title("One", 1, 1), Title("Two", 2, 1), complete=complete)
    found = [Title("A title", 1, 1), Title("One", 1, 1), Title("Aside", 2, 2)]
    figures = figures_of(known, found, compare(known.headings, found))
    assert (figures["recall"], figures["levels"]) == (0.5, 1.0)
    assert (figures["precision"], figures["precision_strict"]) == ((0.5, 1 / 3) if complete else (None, None))


def test_hardly_anything_listed_says_nothing_of_precision() -> None:
    known = truth(Title("One", 1, 1))
    found = [Title("One", 1, 1), *(Title(f"Other {n}", 1, 1) for n in range(4))]
    assert figures_of(known, found, compare(known.headings, found))["precision"] is None


def test_what_is_listed_is_a_heading_and_the_rest_is_none_where_the_list_is_complete() -> None:
    headings = [Title(f"Part {'ABCDEF'[page]}", page + 1, 1) for page in range(6)]
    taught = example(truth(*headings), report().adapted())
    assert taught.labels == [True, False] * 6
    assert all(taught.weights)
    unsure = example(truth(*headings[:3], complete=False), report().adapted())
    assert [weight > 0 for weight in unsure.weights] == [True, True] * 3 + [False, True] * 3


def test_a_part_of_a_document_is_one_of_its_own() -> None:
    headings = [Title(f"Part {'ABCDEF'[page]}", page + 1, 1) for page in range(6)]
    part, content = cut(truth(*headings), report().adapted(), 2)
    assert [(title.text, title.page) for title in part.headings] == [("Part C", 1), ("Part D", 2), ("Part E", 3)]
    assert [page.page_idx for page in content.pages] == [0, 1, 2]
    assert {item.page_idx for item in content.items} == {0, 1, 2}
    assert example(part, content).labels == [True, False] * 3


def test_evidence_is_collected_once_for_a_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(Reader):
        def adapted(self, pdf: Path) -> ContentList:
            return report().adapted()

    reader = Kept(tmp_path)
    headings = [Title(f"Part {'ABCDEF'[page]}", page + 1, 1) for page in range(6)]
    reader.folder(Path(__file__)).mkdir(parents=True)
    (reader.folder(Path(__file__)) / CONTENT).write_text("{}")
    known = replace(truth(*headings), pdf=Path(__file__))
    first = examples([known], reader)
    assert first[0].labels == [True, False] * 6
    collected: list[Truth] = []
    monkeypatch.setattr(
        heading_evidence, "example", lambda part, content: collected.append(part) or example(part, content)
    )
    assert examples([known], reader) == first
    assert not collected
    fewer = replace(known, headings=headings[:3])
    assert examples([fewer], reader)[0].labels == [True, False] * 3 + [False] * 6
    assert collected


def test_a_family_has_one_fold() -> None:
    assert {fold_of(f"family {n}", 5) for n in range(50)} == set(range(5))
    assert fold_of("one", 5) == fold_of("one", 5)
