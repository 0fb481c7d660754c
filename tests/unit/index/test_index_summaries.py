from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.settings.index import IndexSettings
from cosee.index.summarizer import mmr_sentences, node_summaries, summarize_leaf
from cosee.index.view import IndexView
from cosee.text.sentences import split_sentences

SETTINGS = IndexSettings()


def test_summaries_are_own_sentences_in_order_without_repeats() -> None:
    # contract: D33
    sentences = [f"Sentence {i} is about topic {i % 4} and pumps." for i in range(12)]
    text = " ".join([*sentences, *sentences[:3]])
    chosen = mmr_sentences(split_sentences(text), 3, 0.72)
    places = [sentences.index(each) for each in chosen]
    assert len(chosen) == 3 and places == sorted(set(places))


def test_mmr_balance_trades_relevance_for_novelty() -> None:
    # contract: D32
    near = ["Pumps move water uphill.", "Pumps move water uphill daily.", "Pumps move water uphill often."]
    text = [*near, "Herons eat fish and frogs."]
    assert mmr_sentences(text, 2, 1.0) != mmr_sentences(text, 2, 0.3)
    assert "Herons eat fish and frogs." in mmr_sentences(text, 2, 0.3)


def test_every_node_with_text_has_a_bounded_summary() -> None:
    # contract: D31
    build = TreeBuilder()
    build.section("sec_1", "Long")
    build.leaf("t_2", " ".join(f"Sentence number {i} says thing {i * 7 % 11}." for i in range(300)))
    build.table("tab_3", "Table 1: Counts", [["a", "b"]] + [[f"row {i}", str(i)] for i in range(60)])
    summaries = node_summaries(IndexView(build.build()), SETTINGS)
    assert set(summaries) == {"doc", "sec_1", "t_2", "tab_3"}
    assert all(len(summary.split()) <= SETTINGS.summary_words for summary in summaries.values())


def test_relevance_is_scaled_to_one_before_it_is_weighed_against_novelty() -> None:
    # contract: D32
    both = ["Pumps raise water and drain the lock.", "Pumps drain the lock."]
    others = ["Herons nest in reeds.", "Barges carry timber.", "Keepers paint gates.", "Winters freeze canals."]
    assert mmr_sentences([*both, *others], 2, 0.72) == both, (
        "the unscaled cosines of the text would leave the second out"
    )


def test_long_sections_get_six_sentences_and_short_ones_three() -> None:
    # contract: D32
    def sentences(count: int) -> int:
        build = TreeBuilder()
        build.section("sec_1", "S")
        build.leaf("t_2", " ".join(f"Thing {i} differs {i * i}." for i in range(count)))
        return len(split_sentences(node_summaries(IndexView(build.build()), SETTINGS)["sec_1"]))

    assert (sentences(10), sentences(60)) == (3, 6)


def test_hidden_text_is_in_no_summary() -> None:
    summaries = node_summaries(IndexView(report_tree()), SETTINGS)
    assert "t_3" not in summaries and not any("ostrich" in text for text in summaries.values())


def test_short_leaf_is_its_own_summary() -> None:
    assert summarize_leaf("One short sentence.", SETTINGS) == "One short sentence."


def test_summary_in_a_script_without_spaces_is_as_short() -> None:
    # contract: D31
    text = "".join(f"公司第{n}季度营业收入较上年同期增长百分之{n}，主要由于新产品销售良好。" for n in range(1, 30))
    build = TreeBuilder()
    build.leaf("t_1", text)
    summary = node_summaries(IndexView(build.build()), SETTINGS)["t_1"]
    assert 0 < len(summary) <= 2 * SETTINGS.summary_words + 20 and summary[:20] in text


def test_section_without_own_text_is_summarised_by_the_prose_below_it() -> None:
    # contract: D33
    build = TreeBuilder()
    build.section("sec_1", "Results")
    build.section("sec_2", "Sales", level=2)
    build.table("tab_3", "", [["a", "b"], ["1", "2"]])
    build.leaf("t_4", "Sales grew in every region.")
    summaries = node_summaries(IndexView(build.build()), SETTINGS)
    assert summaries["sec_1"] == "Sales grew in every region."
