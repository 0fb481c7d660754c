import pytest
from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.settings.answer import FusionWeights
from cosee.retrieval.fusion import TreePrior, factors, intent_bonus, reciprocal_ranks, weighted
from cosee.retrieval.intent import detect_intent
from cosee.retrieval.node_facts import DocumentFacts
from cosee.retrieval.rewriting import plain_query

PARTS = {"dense": 0.8, "bm25f": 0.6, "tree_prior": 0.5, "intent_bonus": 1.0}


def test_default_weights_and_other_ones() -> None:
    # contract: D66
    both = ("dense", "sparse")
    assert weighted(PARTS, factors(FusionWeights(), both)) == pytest.approx(
        0.45 * 0.8 + 0.35 * 0.6 + 0.10 * 0.5 + 0.10 * 1.0
    )
    assert weighted(PARTS, factors(FusionWeights(dense=1, bm25f=0, tree_prior=0, intent_bonus=0), both)) == 0.8


def test_weight_of_an_absent_channel_is_left_out() -> None:
    expected = (0.35 * 0.6 + 0.10 * 0.5 + 0.10 * 1.0) / 0.55
    assert weighted(PARTS, factors(FusionWeights(), ("sparse",))) == pytest.approx(expected, abs=1e-6)


def test_reciprocal_ranks_reward_agreement_and_break_ties_by_id() -> None:
    fused = reciprocal_ranks([{"a": 9.0, "b": 1.0, "c": 0.5}, {"b": 3.0, "a": 2.0}])
    assert fused["a"] == fused["b"] > fused["c"]
    assert reciprocal_ranks([{"a": 1.0}, {"a": 1.0}]) == {"a": 1.0}


def test_section_page_and_depth_each_move_the_prior() -> None:
    # contract: D68
    build = TreeBuilder(9)
    build.section("sec_1", "One")
    build.leaf("t_2", "anchor", 0)
    near = build.leaf("t_3", "same section, same page", 0)
    far = build.leaf("t_4", "same section, other page", 5)
    build.section("sec_5", "Two", 0)
    other = build.leaf("t_6", "other section, same page", 0)
    build.section("sec_7", "Deep", 5, level=2)
    deep = build.leaf("t_8", "other section, other page, deeper", 5)
    build.section("sec_9", "Three", 5)
    shallow = build.leaf("t_10", "other section, other page", 5)
    tree = build.build()
    facts = DocumentFacts(tree)
    tree_prior = TreePrior([facts.of("t_2")])
    prior = {node.id: tree_prior.of(facts.of(node.id)) for node in (near, far, other, deep, shallow)}
    assert prior["t_3"] > prior["t_4"] > prior["t_10"], "page distance, then section"
    assert prior["t_3"] > prior["t_6"] > prior["t_10"], "section, then page distance"
    assert prior["t_10"] > tree_prior.of(facts.of("sec_9")), "depth"
    assert all(0 <= value <= 1 for value in prior.values())
    assert TreePrior([]).of(facts.of("t_3")) == 0


def test_bonus_rewards_role_affordance_variant_and_label() -> None:
    # contract: D69
    tree = report_tree()
    intent = detect_intent(plain_query("How did the curve develop?"), tree)
    image, text = tree.node("img_9"), tree.node("t_7")
    assert intent_bonus(image, intent, {"supports_TREND": True}, None, False) == 1.0
    assert intent_bonus(image, intent, {}, None, False) == 0.75
    assert intent_bonus(text, intent, {}, None, False) == 0.0
    assert intent_bonus(text, intent, {}, None, True) == 1.0
