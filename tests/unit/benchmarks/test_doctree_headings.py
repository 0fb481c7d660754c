"""The heading scorer of the DocTree benchmark, on truths made by hand."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from benchmarks.doctree_headings import Title, compare, scores, without_number
from benchmarks.doctree_read import strip_structure
from helpers.make_pdf import make_pdf


def test_bookmarks_and_tags_are_gone_from_the_stripped_copy(tmp_path: Path) -> None:
    source = make_pdf(tmp_path / "tagged.pdf", lambda page: page.insert_text((72, 72), "Methods"))
    with pymupdf.open(source) as document:
        document.set_toc([[1, "Methods of the bookmark", 1]])
        tree = document.get_new_xref()
        document.update_object(tree, "<</Type/StructTreeRoot/K<</S/H1/ActualText(Methods of the tag)>>>>")
        document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", f"{tree} 0 R")
        document.xref_set_key(document.pdf_catalog(), "MarkInfo", "<</Marked true>>")
        document.save(tmp_path / "full.pdf")
    assert b"StructTreeRoot" in (tmp_path / "full.pdf").read_bytes()

    strip_structure(tmp_path / "full.pdf", tmp_path / "stripped.pdf")

    with pymupdf.open(tmp_path / "stripped.pdf") as document:
        assert document.get_toc() == []
        assert document[0].get_text().strip() == "Methods"
        catalog = document.pdf_catalog()
        for name in ("Outlines", "StructTreeRoot", "MarkInfo"):
            assert document.xref_get_key(catalog, name) == ("null", "null")
        everything = "".join(document.xref_object(n) for n in range(1, document.xref_length()))
    assert "Type/StructTreeRoot" not in everything.replace(" ", "")
    assert "of the bookmark" not in everything
    assert "of the tag" not in everything


@pytest.mark.parametrize(
    ("numbered", "plain"),
    [
        ("1 Introduction", "introduction"),
        ("1.2. Methods and Data", "methodsanddata"),
        ("Chapter 3: Use", "use"),
        ("B. Rules", "rules"),
        ("IV. Results", "results"),
        ("1.1Installation", "installation"),
        ("Appendix A", "appendixa"),
        ("Item 1A. Risk factors", "riskfactors"),
        ("2.3 2D images", "2dimages"),
        ("3D models", "3dmodels"),
        ("2021 results", "2021results"),
        ("Überblick", "überblick"),
    ],
)
def test_titles_are_compared_without_their_numbers(numbered: str, plain: str) -> None:
    assert without_number(numbered) == plain


def test_counts_missed_extra_and_repeated_titles() -> None:
    truth = [Title("Introduction", 1, 1), Title("Summary", 2, 2), Title("Summary", 2, 2), Title("Results", 4, 1)]
    found = [Title("1. Introduction", 1, 1), Title("Summary", 2, 2), Title("Results", 5, 1), Title("Bold text", 3, 2)]
    comparison = compare(truth, found)
    assert [title.page for title in comparison.missed] == [2, 4]
    assert [title.text for title in comparison.extra] == ["Results", "Bold text"]
    assert comparison.unjudged == []
    assert scores(comparison.counts)["title"] == pytest.approx(2 * 2 / (4 + 4))


def test_a_title_above_everything_shifts_all_levels_at_once() -> None:
    truth = [Title("Background", 1, 1), Title("Data", 1, 2), Title("Use", 2, 1)]
    found = [Title("A report", 1, 1), Title("Background", 1, 2), Title("Data", 1, 3), Title("Use", 2, 3)]
    comparison = compare(truth, found)
    assert (comparison.shift, comparison.counts["levels"]) == (1, 2)
    assert scores(comparison.counts)["level"] == pytest.approx(2 * 2 / (4 + 3))


def test_what_bookmarks_cannot_judge_is_left_out_of_the_judged_figure_only() -> None:
    truth = [Title("Background", 2, 1), Title("Data", 2, 2), Title("Cover", 1, 1, counts=False)]
    found = [
        Title("A report", 1, 1), Title("Cover", 2, 1), Title("Background", 2, 1), Title("Data", 2, 2),
        Title("Sources", 2, 3), Title("Of the sources", 2, 4), Title("Not a heading", 3, 2),
    ]  # fmt: skip
    comparison = compare(truth, found)
    assert [title.text for title in comparison.unjudged] == ["A report", "Sources", "Of the sources"]
    assert scores(comparison.counts)["title"] == pytest.approx(2 * 2 / (6 + 2))
    assert scores(comparison.counts)["title_judged"] == pytest.approx(2 * 2 / (3 + 2))


def test_a_small_difference_is_forgiven_a_large_one_is_not() -> None:
    truth = [Title("Recommendations for boards", 1, 1), Title("Costs", 1, 1)]
    found = [Title("Recomendations for boards", 1, 1), Title("Coats", 1, 1)]
    assert [title.text for title in compare(truth, found).extra] == ["Coats"]
