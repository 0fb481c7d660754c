import pytest
from helpers.index_trees import TreeBuilder, report_tree

from cosee.index.references import LabelIndex, page_mentions
from cosee.text.mentions import mentions


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("see Fig. 3 for more", ["Figure 3"]),
        ("Figure 3b shows", ["Figure 3b"]),
        ("Fig. 5(a)", ["Figure 5a"]),
        ("Figures 3 and 4", ["Figure 3", "Figure 4"]),
        ("Tables 2 to 4", ["Table 2", "Table 3", "Table 4"]),
        ("Figs. 4-7", ["Figure 4-7", "Figure 4", "Figure 5", "Figure 6", "Figure 7"]),
        ("Eqs. (12) and (13)", ["Equation 12", "Equation 13"]),
        ("Eqs. (2)-(4)", ["Equation 2-4", "Equation 2", "Equation 3", "Equation 4"]),
        ("Eq. (5), which", ["Equation 5"]),
        ("Abb. 2 und Tabelle 3", ["Figure 2", "Table 3"]),
        ("如图3和表2所示", ["Figure 3", "Table 2"]),
        ("Table IV", ["Table iv"]),
        ("Exhibit 10.2", ["Exhibit 10.2"]),
        ("a stable 4 and comfortable 5", []),
        ("the figures I like", []),
    ],
)
def test_mentions_in_many_forms(text: str, labels: list[str]) -> None:
    # contract: D48
    assert [mention.label for mention in mentions(text)] == labels


def test_subfigure_falls_back_to_its_figure_and_media_go_before_captions() -> None:
    labels = LabelIndex(report_tree(), report_tree().nodes)
    assert labels.resolve(mentions("Figure 3b")[0])[0] == "img_9"
    assert labels.resolve(mentions("Table 2")[0])[0] == "tab_12"
    assert labels.resolve(mentions("Figure 9")[0]) == []


def test_equation_is_found_by_its_bracketed_number() -> None:
    build = TreeBuilder(1)
    build.leaf("eq_1", "a = b (4)", type="equation", label="(4)")
    assert LabelIndex(build.build(), build.build().nodes).resolve(mentions("see Eq. 4")[0]) == ["eq_1"]


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("on page iv", []),
        ("on page ii", [[1]]),
        ("on page 3", [[4, 2]]),
        ("pages 1-3", [[2, 0], [3, 1], [4, 2]]),
        ("slide 5", [[4]]),
        ("the last page", [[4]]),
        ("the 2nd page", [[1]]),
        ("page four", [[3]]),
        ("the second-to-last slide", [[3]]),
        ("the penultimate page", [[3]]),
        ("What is printed on the cover?", [[0]]),
        ("auf der letzten Seite", [[4]]),
        ("封面", [[0]]),
        ("最后一页", [[4]]),
        ("3枚目のスライド", [[4, 2]]),
        ("the cover letter", []),
        ("第2页", [[3, 1]]),
        ("page 77", []),
        ("the page is long", []),
    ],
)
def test_page_mentions_give_the_printed_number_first(text: str, pages: list[list[int]]) -> None:
    assert page_mentions(text, report_tree()) == pages


def test_pages_without_labels_are_counted_from_one() -> None:
    assert page_mentions("page 2", TreeBuilder(3).build()) == [[1]]


@pytest.mark.parametrize(
    ("labels", "text", "pages"),
    [
        (["2-3", "4-5", "6-7", "8-9", "10"], "page 5", [[1, 4]]),
        (["2-3", "4-5", "6-7", "8-9", "10"], "page 4", [[1, 3]]),
        (["2-3", "4-5", "6-7", "8-9", "10"], "pages 4-5", [[1]]),
        (["cover", "2\u20133", "4\u20135", "6", "7"], "page 5", [[2, 4]]),
        (["1-1", "1-2", "2-1", "2-2", "2-3"], "page 2", [[1]]),
        (["1-1", "1-2", "2-1", "2-2", "2-3"], "see page 2-3", [[4]]),
        (["1", "2", "3", "4", "5"], "pages 2-4", [[1], [2], [3]]),
    ],
)
def test_labels_of_two_numbers_are_spreads_or_pages_of_chapters(
    labels: list[str], text: str, pages: list[list[int]]
) -> None:
    assert page_mentions(text, TreeBuilder(5, labels).build()) == pages


def test_a_label_that_chapters_count_anew_means_the_one_of_the_own_chapter() -> None:
    # contract: D48
    build = TreeBuilder(4)
    build.section("roads", "Roads")
    build.image("img_1", "Figure 2 Roads map", label="Figure 2")
    early = build.leaf("t_2", "See Fig. 2.")
    late = build.leaf("t_3", "As Figure 2 shows.", 2)
    build.section("ports", "Ports", 2)
    build.image("img_4", "FIGURE 2. Ports map", 3, label="Figure 2")
    other = build.leaf("t_5", "See Figure 2.", 2)
    tree = build.build()
    labels = LabelIndex(tree, tree.nodes)
    asked = mentions("Figure 2")[0]
    assert [labels.resolve(asked, node)[0] for node in (early, late, other)] == ["img_1", "img_1", "img_4"]
    assert labels.resolve(asked)[0] == "img_1"
