"""The page text scorer of the DocTree benchmark."""

from __future__ import annotations

import pytest
from benchmarks.doctree_ohr import compared, similarity, without_markup, word_f1


@pytest.mark.parametrize(
    ("truth", "text"),
    [
        ("501 West $28^{\\text {th }}$ Street", "501 West 28th Street"),
        ("\\begin{tabular}{|l|c|}\n\\hline Sales & 12 \\\\\n\\end{tabular}", "Sales 12"),
        ("\\multicolumn{2}{|c|}{PART I} \\\\ \\multirow{2}{*}{Total}", "PART I Total"),
        ("up 5\\% to \\$3", "up 5% to 3"),
        ("<table><tr><td>Sales</td><td>12 &amp; 13</td></tr></table>", "Sales 12 13"),
        ("$\\underline{\\text { Mine Safety }}$", "Mine Safety"),
        ("3 < 4 and 5 > 2", "3 < 4 and 5 > 2"),
    ],
)
def test_markup_of_the_truth_leaves_its_words(truth: str, text: str) -> None:
    assert compared(without_markup(truth)) == text


def test_order_counts_for_similarity_and_not_for_words() -> None:
    assert similarity("one two three", "one two three") == 1
    assert similarity("one two three", "three one two") < 0.7
    assert word_f1("one two three", "Three one two") == 1
    assert word_f1("one two", "one two two two") == pytest.approx(2 * 2 / 6)
    assert similarity("text", "") == 0
