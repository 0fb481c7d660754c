import pytest
from helpers.agent_trees import HEADCOUNT, context, question, small_tree

from cosee.agents.decision.pages import page_object
from cosee.agents.evidence import Evidence, box_on_page, find_quote, ground, known_node
from cosee.agents.finish import Outcome, finish
from cosee.artifacts.documents.content import Region
from cosee.models.boxes import unit_box
from cosee.models.evidence import page_evidence
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient
from cosee.retrieval.ranking import Ranking


@pytest.mark.parametrize(
    ("node_id", "known"),
    [
        ("t_2", "t_2"), ("T_2", "t_2"), (" t_2 ", "t_2"), ("t_2#c0", "t_2"), ("sec_1#g", "sec_1"), ("t_99", None),
        ("../t_2", None), ("t_2; DROP", None), ("t_2#x", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_only_ids_of_the_tree_are_known(node_id, known):
    found = known_node(small_tree(), node_id)
    assert (found.id if found else None) == known


def test_quotes_are_found_whatever_their_spacing_and_case():
    tree = small_tree()
    assert find_quote(tree, 1, "total  REVENUE was $3.4\nmillion")[1].id == "t_2"
    assert find_quote(tree, 1, "2023 $3.4 million")[1].id == "tab_3"
    assert find_quote(tree, 2, "employed 412 people…")[1].id == "t_5"
    assert find_quote(tree, 1, "Results Total revenue") == (True, None)


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        (2, "Total revenue was"),
        (1, "employed"),
        (1, "$3.4 mill"),
        (2, "41"),
        (3, "answer 99"),
        (9, "Results"),
        (1, " . "),
    ],
)
def test_quotes_that_are_not_there(page, quote):
    assert find_quote(small_tree(), page, quote) == (False, None)


def test_a_found_quote_decides_page_node_and_box():
    support = ground(small_tree(), Evidence("t_99", 1, "employed 412 people"), [1, 2])
    assert (support.node_id, support.page, support.page_label, support.bbox) == ("t_5", 2, "1", (0.1, 0.2, 0.9, 0.3))
    assert support.quote_verified
    assert ground(small_tree(), Evidence("t_99", 1, "employed 413 people"), [1, 2]) is None
    unverified = ground(small_tree(), Evidence("t_5", 1, "employed 413 people"), [1, 2])
    assert (unverified.node_id, unverified.page, unverified.quote_verified) == ("t_5", 2, False)


@pytest.mark.parametrize("flag", ["hidden", "garbage_text"])
def test_text_that_may_not_be_read_is_neither_shown_nor_evidence(flag):
    """Hidden text, and the garbage of a text layer that cannot be read, stay out of prompts and support."""
    tree = small_tree()
    nodes = [node.model_copy(update={"flags": [flag]} if node.id in ("sec_4", "t_5") else {}) for node in tree.nodes]
    tree = small_tree().model_copy(update={"nodes": nodes})
    shown = page_evidence(tree, 2)
    assert "412" not in shown.text and "People" not in shown.text and shown.data["nodes"] == []
    assert page_object(tree, 2, {}) is None
    assert page_evidence(tree, 3).data["nodes"][0]["path"] == [], "nor as the heading of what is readable"
    assert find_quote(tree, 2, "employed 412 people") == (False, None)
    assert ground(tree, Evidence("t_5", 2, "employed 412 people"), [1, 2]) is None
    assert ground(tree, Evidence("t_5", 2), [1, 2]) is None


def finished(outcome: Outcome, text: str = "How many people?"):
    ctx = context(MeteredClient(ScriptedClient(["x"]), context(ScriptedClient([])).budget))
    ctx.client.chat([])
    return finish(question(text), ctx, "m", outcome, Ranking(pages=[2, 1])), ctx


def test_prediction_holds_what_the_outcome_says():
    evidence = [Evidence("t_5", None, "412 people"), Evidence("t_5", 2), Evidence("T_5 ", 2, "412 people")]
    row, ctx = finished(
        Outcome(
            "There were 412 people.", "answered", HEADCOUNT, 0.8, evidence, measures={"x": 1 / 3}, prompt_ids=["b", "a"]
        )
    )
    assert (row.answer, row.abstained, row.confidence, row.exit_reason) == ("412", False, 0.8, "answered")
    assert [(piece.node_id, piece.page, piece.quote) for piece in row.support] == [("t_5", 2, "412 people")]
    assert row.retrieved_pages == [2, 1] and row.measures == {"x": 0.333333} and row.prompt_ids == ["a", "b"]
    assert (row.usage.calls, row.model, row.dataset, row.doc_id) == (1, "scripted", "tests", "doc_a")
    assert ctx.trace.events[-1].type == "complete"


def test_evidence_that_does_not_exist_lowers_confidence():
    half, _ = finished(Outcome("12", "answered", confidence=0.8, evidence=[Evidence("t_2"), Evidence("t_999")]))
    none, _ = finished(Outcome("12", "answered", confidence=0.8, evidence=[Evidence("nope")]))
    assert ([piece.node_id for piece in half.support], half.confidence) == (["t_2"], 0.6)
    assert (none.support, none.confidence, none.answer) == ([], 0.4, "12")


def test_abstention_cites_nothing_and_a_failure_is_none():
    abstained, _ = finished(Outcome("not mentioned", "abstained", evidence=[Evidence("t_2")]))
    failed, _ = finished(Outcome("Not answerable", "error", status="failed", reason="no_valid_output"))
    assert (abstained.answer, abstained.abstained, abstained.support) == ("Not answerable", True, [])
    assert (failed.answer, failed.abstained, failed.status, failed.reason) == ("", False, "failed", "no_valid_output")


def test_a_place_that_only_a_picture_shows_is_evidence_and_says_that_it_was_not_verified():
    tree = small_tree().model_copy(update={"nodes": [each for each in small_tree().nodes if each.page_idx != 1]})
    box = (0.1, 0.2, 0.5, 0.4)
    found = ground(tree, Evidence(None, 2, "412 people", box), [1, 2])
    assert found is not None and (found.page, found.bbox, found.quote_verified) == (2, box, False)
    assert found.unverified == "the page has no text"
    # A quote alone can be looked up nowhere there; on a page with text it can, and is not there.
    assert ground(tree, Evidence(None, 2, "412 people"), [1, 2]).unverified == "the page has no text"
    assert ground(tree, Evidence(None, 1, "nowhere to be found"), [1, 2]) is None
    assert ground(tree, Evidence(None, 1, "nowhere to be found", box), [1]).unverified == (
        "the words are not in the text of the page"
    )
    # Pages that the model was not shown are no evidence.
    assert ground(tree, Evidence(None, 2, "412 people", box), [1]) is None
    assert ground(tree, Evidence(None, 9, "412 people", box), [9]) is None


def test_a_place_is_verified_where_recognition_reads_its_words():
    tree = small_tree().model_copy(update={"nodes": [each for each in small_tree().nodes if each.page_idx != 1]})
    box = (0.1, 0.2, 0.5, 0.4)
    asked = []

    def read(page, where, quote):
        asked.append((page, where, quote))
        return quote == "412 people" and (where or (0.6, 0.6, 0.7, 0.7))

    found = ground(tree, Evidence(None, 2, "412 people", box), [1, 2], read)
    assert found is not None and (found.bbox, found.quote_verified, found.unverified) == (box, True, None)
    other = ground(tree, Evidence(None, 2, "413 people", box), [1, 2], read)
    assert other is not None and not other.quote_verified
    assert other.unverified == "the page has no text, and recognition does not read them there"
    unread = ground(tree, Evidence(None, 2, "413 people", box), [1, 2], lambda *_: None)
    assert unread is not None and unread.unverified == "the page has no text"
    # Where the words stand elsewhere on the page, and where no place was named, theirs is taken.
    elsewhere = (0.1, 0.7, 0.3, 0.72)
    moved = ground(tree, Evidence(None, 2, "412 people", box), [1, 2], lambda *_: elsewhere)
    assert moved is not None and (moved.bbox, moved.quote_verified, moved.unverified) == (elsewhere, True, None)
    placed = ground(tree, Evidence(None, 2, "412 people"), [1, 2], read)
    assert placed is not None and (placed.bbox, placed.quote_verified) == ((0.6, 0.6, 0.7, 0.7), True)
    assert asked == [(2, box, "412 people"), (2, box, "413 people"), (2, None, "412 people")]
    # What the text layer holds is never read.
    ground(tree, Evidence(None, 1, "Total revenue was", box), [1], read)
    ground(tree, Evidence(None, 2, "", box), [1, 2], lambda *_: pytest.fail("no words to look for"))
    assert len(asked) == 3


def test_a_picture_that_covers_a_scanned_page_does_not_take_the_place_of_the_box():
    scan = small_tree().node("t_5").model_copy(
        update={"id": "img_9", "type": "image", "text": "", "bbox": (0, 0, 1, 1),
                "regions": [Region(page_idx=1, bbox=(0, 0, 1, 1))]}
    )  # fmt: skip
    others = [each for each in small_tree().nodes if each.page_idx != 1]
    tree = small_tree().model_copy(update={"nodes": [*others, scan]})
    box = (0.1, 0.2, 0.5, 0.4)
    found = ground(tree, Evidence("img_9", 2, "412 people", box), [1, 2], lambda *_: box)
    assert found is not None and (found.node_id, found.bbox, found.quote_verified) == ("img_9", box, True)
    # Without a place the figure itself is what supports.
    whole = ground(tree, Evidence("img_9", 2, "412 people"), [1, 2])
    assert whole is not None and (whole.bbox, whole.quote_verified) == ((0, 0, 1, 1), False)


def test_recognition_is_asked_of_eight_pieces_of_an_answer_at_most():
    tree = small_tree().model_copy(update={"nodes": [each for each in small_tree().nodes if each.page_idx != 1]})
    asked = []
    ctx = context(ScriptedClient([]), tree=tree, read_place=lambda *place: asked.append(place) or place[1])
    pieces = [Evidence(None, 2, f"word{n}", (0.1, 0.1, 0.2, 0.2)) for n in range(11)]
    row = finish(question("?"), ctx, "m", Outcome("1", "answered", evidence=pieces, pages_read=[2]), Ranking())
    assert len(asked) == 8 and [piece.quote_verified for piece in row.support] == [True] * 8 + [False] * 3


def test_a_box_over_a_node_that_was_read_needs_no_quote():
    tree = small_tree()
    node = next(each for each in tree.nodes if each.id == "t_5")
    area = box_on_page(node, node.page_idx + 1)
    found = ground(tree, Evidence(None, node.page_idx + 1, "", area), [node.page_idx + 1])
    assert found is not None and found.unverified is None and found.node_id == "t_5"


def test_boxes_are_read_in_the_grid_of_their_model():
    assert unit_box([100, 200, 500, 400], 1000) == (0.1, 0.2, 0.5, 0.4)
    assert unit_box([0.1, 0.2, 0.5, 0.4], 1000) == (0.1, 0.2, 0.5, 0.4), "a share of the page already"
    assert unit_box([0.1, 0.2, 0.5, 0.4], 1) == (0.1, 0.2, 0.5, 0.4)
    assert unit_box([100, 200, 500, 400], None) is None, "a model that sees nothing knows no place"
    for wrong in ([100, 200, 500, 1400], [500, 200, 100, 400], [1, 2, 3], "1 2 3 4", None, [0, 0, 0, 0]):
        assert unit_box(wrong, 1000) is None


@pytest.mark.parametrize("quote", ["Interest expense ... 2,502", "interest expense . . . . . . . . 2,502"])
def test_a_row_of_dots_is_the_same_row_however_it_is_copied(quote):
    tree = small_tree()
    row = "Interest expense . . . . . . . . . . . . . . . . 2,502"
    nodes = [node.model_copy(update={"text": row}) if node.id == "t_5" else node for node in tree.nodes]
    tree = tree.model_copy(update={"nodes": nodes})
    assert find_quote(tree, 2, quote)[0]
    assert "Interest expense ... 2,502" in page_evidence(tree, 2).text


def test_a_quote_may_leave_words_out_where_it_says_so():
    tree = small_tree()
    assert find_quote(tree, 1, "Total revenue ... $3.4 million")[0]
    assert find_quote(tree, 1, "Total [...] million")[0]
    assert not find_quote(tree, 1, "Total revenue ... $9.9 million")[0]
    assert not find_quote(tree, 1, "$3.4 million ... Total revenue was")[0]


def test_what_a_place_says_in_other_words_is_kept_unverified_with_the_place():
    tree = small_tree()
    told = ground(tree, Evidence(None, 1, "In 2023 the revenue was $3.4 million."), [1, 2])
    assert told is not None and told.page == 1 and told.node_id in ("t_2", "tab_3") and not told.quote_verified
    assert told.bbox is not None and told.unverified is None
    # Another figure, too few words, and pages that were not shown are no evidence.
    assert ground(tree, Evidence(None, 1, "In 2023 the revenue was $3.5 million."), [1, 2]) is None
    assert ground(tree, Evidence(None, 1, "The revenue."), [1, 2]) is None
    assert ground(tree, Evidence(None, 1, "In 2023 the revenue was $3.4 million."), [2]) is None


def test_a_quote_of_many_gaps_is_looked_for_once():
    tree = small_tree()
    nodes = [node.model_copy(update={"text": "a " * 4000}) if node.id == "t_5" else node for node in tree.nodes]
    assert find_quote(tree.model_copy(update={"nodes": nodes}), 2, "a ... " * 40 + "b") == (False, None)


def test_a_quote_of_nothing_but_blanks_takes_no_time():
    assert find_quote(small_tree(), 2, " " * 400_000 + "x") == (False, None)
