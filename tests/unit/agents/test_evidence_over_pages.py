"""A quote in a paragraph or table that goes on over several pages is cited on the page that holds it."""

import pytest
from helpers.content_lists import Pages

from cosee.agents.evidence import Evidence, find_quote, ground
from cosee.artifacts.documents.doctree import DocTree
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree

LOW, HIGH = (0.1, 0.5, 0.9, 0.92), (0.1, 0.1, 0.9, 0.4)
FIRST, REST = "The board of the harbour expects that the freight of this foot-", "path goes on to grow next year."


def tree_of(pages: Pages) -> DocTree:
    return build_tree(enhance(pages.adapted()))


def table_over_three_pages() -> DocTree:
    pages = Pages()
    pages.add("Table 1: Prices per unit.", bbox=(0.1, 0.47, 0.5, 0.49))
    pages.table([["Item", "Price"], ["Pump", "13"], ["Tap", "16"]], bbox=LOW)
    pages.page()
    pages.table([["Item", "Price"], ["Valve", "16"]], bbox=(0.1, 0.1, 0.9, 0.92))
    pages.page()
    pages.table([["Pipe", "2"], ["Pipe, long", "4"]], bbox=HIGH)
    return tree_of(pages)


@pytest.mark.parametrize("named", [None, 1, 2, 3])
@pytest.mark.parametrize(
    ("quote", "page", "box"),
    [
        ("Item | Price", 1, LOW),
        ("Pump | 13", 1, LOW),
        ("Valve | 16", 2, (0.1, 0.1, 0.9, 0.92)),
        ("Pipe, long", 3, HIGH),
    ],
)
def test_a_row_is_cited_where_it_is_printed(named, quote, page, box):
    tree = table_over_three_pages()
    (table,) = tree.of_type("table")
    for node_id in (table.id, None):
        support = ground(tree, Evidence(node_id, named, quote), [1, 2, 3])
        assert (support.node_id, support.page, support.bbox, support.quote_verified) == (table.id, page, box, True)


def test_rows_on_both_sides_of_a_break_are_on_both_pages():
    tree = table_over_three_pages()
    (table,) = tree.of_type("table")
    assert [find_quote(tree, page, "Tap 16 Valve 16")[0] for page in (1, 2, 3)] == [True, True, False]
    assert ground(tree, Evidence(table.id, 2, "Tap 16 Valve 16"), []).page == 2
    assert table.text_on(0) == "Item | Price\nPump | 13\nTap | 16"
    assert table.text_on(2) == "Pipe | 2\nPipe, long | 4"


def test_a_sentence_is_cited_where_it_is_printed():
    pages = Pages()
    pages.add(FIRST, bbox=(0.1, 0.8, 0.9, 0.84))
    pages.page()
    pages.add(REST, bbox=(0.1, 0.1, 0.9, 0.14))
    tree = tree_of(pages)
    (node,) = tree.of_type("paragraph")
    assert [node.text_on(page) for page in (0, 1)] == [FIRST[:-1], REST]
    for quote, page in (("The board of the harbour", 1), ("grow next year", 2)):
        assert ground(tree, Evidence(node.id, None, quote), [2, 1]).page == page
    assert [find_quote(tree, page, "this footpath goes on")[0] for page in (1, 2)] == [True, True]


def test_columns_of_a_page_are_one_part():
    """A word broken between two columns is on their page, and on no other."""
    pages = Pages()
    pages.add(FIRST, bbox=(0.1, 0.6, 0.48, 0.9))
    pages.add("path goes on to grow, as it did in each of the years before", bbox=(0.52, 0.1, 0.9, 0.9))
    pages.page()
    pages.add("this one, by a third.", bbox=(0.1, 0.1, 0.48, 0.2))
    tree = tree_of(pages)
    (node,) = tree.of_type("paragraph")
    assert [region.page_idx for region in node.regions] == [0, 0, 1]
    assert [find_quote(tree, page, "this footpath goes on")[0] for page in (1, 2)] == [True, False]
    assert node.text_on(1) == "this one, by a third."


def test_columns_set_beside_each_other_are_taken_from_either_page():
    """A row then runs over both pages, and no page holds all of it."""
    pages = Pages()
    pages.add("Table 1: Prices per unit.", bbox=(0.1, 0.47, 0.5, 0.49))
    pages.table([["Key", "A"], ["Alpha", "1"], ["Beta", "2"]], bbox=LOW)
    pages.page()
    pages.table([["Key", "C"], ["Alpha", "3"], ["Beta", "6"]], bbox=HIGH)
    tree = tree_of(pages)
    assert [find_quote(tree, page, "Alpha | 1 | 3")[0] for page in (1, 2)] == [True, True]
