from helpers.index_trees import report_tree

from cosee.artifacts.documents.doctree import DocTree
from cosee.retrieval.intent import detect_intent
from cosee.retrieval.node_facts import DocumentFacts
from cosee.retrieval.rerank import Reranker
from cosee.retrieval.rewriting import plain_query

TREE = report_tree()


def features(question: str, node_id: str, *, named: str = "", anchor: str | None = None, tree: DocTree = TREE):
    intent = detect_intent(plain_query(question), tree)
    facts = DocumentFacts(tree)
    reranker = Reranker(intent, frozenset([named]), facts.of(anchor) if anchor else None)
    return reranker.features(facts.of(node_id), {"supports_TREND": node_id == "img_9"})


def test_title_hit() -> None:
    # contract: D72
    assert features("training", "sec_6")["is_title_hit"] == 1
    assert features("training pumps", "sec_6")["is_title_hit"] == 0.5
    assert features("training", "sec_11")["is_title_hit"] == 0


def test_path_hit() -> None:
    # contract: D73
    assert features("training", "t_7")["is_path_hit"] == 1
    assert features("training", "sec_6")["is_path_hit"] == 0, "its own title is not its path"


def test_label_hit() -> None:
    # contract: D74
    assert features("Table 2", "tab_12", named="tab_12")["is_label_hit"] == 1
    assert features("Table 2", "img_9", named="tab_12")["is_label_hit"] == 0


def test_schema_hit() -> None:
    # contract: D75
    assert features("latency", "tab_12")["schema_hit"] == 1
    assert features("heron", "tab_12")["schema_hit"] == 0, "a body cell is no column"


def test_alias_hit() -> None:
    # contract: D76
    assert features("millisecond", "tab_12")["alias_hit"] == 1
    assert features("millisecond", "t_14")["alias_hit"] == 0


def test_unit_match_stops_at_token_boundaries() -> None:
    # contract: D77
    assert features("how many ms", "t_7")["unit_match"] == 1
    assert features("below 50 ms", "t_7")["unit_match"] == 1
    assert features("below 50 ms", "t_14")["unit_match"] == 0
    assert features("below 50 m", "t_7")["unit_match"] == 0


def test_page_distance() -> None:
    # contract: D78
    assert features("pump", "t_14", anchor="tab_12")["page_dist"] == 1
    assert features("pump", "t_7", anchor="tab_12")["page_dist"] == 0.5
    assert features("pump on page ii", "t_0")["page_dist"] == 1
    assert features("pump on page ii", "t_7")["page_dist"] == 0


def test_same_section() -> None:
    # contract: D79
    assert features("pump", "t_7", anchor="t_8")["same_section"] == 1
    assert features("pump", "t_14", anchor="t_8")["same_section"] == 0


def test_affordance_that_the_intent_wants() -> None:
    # contract: D80
    assert features("trend of the curve", "img_9")["supports_intent"] == 1
    assert features("define a pump", "img_9")["supports_intent"] == 0
