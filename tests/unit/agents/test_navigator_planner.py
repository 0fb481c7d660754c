import json

from helpers.agent_trees import TextOnly, question
from helpers.index_trees import TreeBuilder
from helpers.navigation import answer, harbour_tree, memory_of, navigation_context, plan
from PIL import Image

from cosee.agents.method import make_strategy
from cosee.agents.navigator.planner import Feedback, Planner, place_of
from cosee.agents.navigator.rewriting import hints_for, rewritten
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.agents.navigator.thresholds import MAX_PLAN_CHARACTERS
from cosee.agents.navigator.windows import headings_topk, hit_summary
from cosee.agents.reading import search
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.scripted import ScriptedClient
from cosee.retrieval.ranking import Ranking

FEE = "What is the mooring fee?"


def made(tmp_path, replies, tree=None, text=FEE, places=2):
    client = TextOnly(replies)
    ctx = navigation_context(tree or harbour_tree(), tmp_path, client)
    planner = Planner(text, memory_of(ctx), places)
    return planner, search(question(text), ctx), client


def blocks(message, name):
    return [block.data for block in message.blocks if block.kind == "node" and block.data["list"] == name]


def test_the_planner_sees_ranked_hits_with_score_parts_and_the_headings_near_them(tmp_path):
    # contract: D85, D89
    planner, ranking, _ = made(tmp_path, [])
    message = planner.message(ranking, 1, None)
    pages, hits, headings = blocks(message, "page"), blocks(message, "hit"), blocks(message, "heading")
    assert pages[0]["node_id"] == "P3" and hits[0]["node_id"] == ranking.hits[0].node_id
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert set(hits[0]["parts"]) >= {"dense", "bm25f", "tree_prior", "intent_bonus"}
    assert headings == [], "every section is a hit itself"
    leaves = [hit for hit in ranking.hits if hit.node_id.startswith("t_")]
    message = planner.message(Ranking(leaves, ranking.pages, ranking.page_scores), 1, None)
    assert [heading["title"] for heading in blocks(message, "heading")] == ["3 Fees"]
    fee = next(block for block in message.blocks if block.data.get("node_id") == "t_13")
    assert fee.text.startswith('<evidence page="4" printed="3" section="3 Fees">\n<node t_13>')
    assert "The mooring fee is 40 crowns a day." in fee.text and "after it: t_14 “Fees are paid" in fee.text
    staff = next((block for block in message.blocks if block.data.get("node_id") == "sec_12"), None)
    assert staff is not None and "before it: sec_8 “2 Staff”" in staff.text


def test_directives_are_held_against_the_tree_and_the_visits(tmp_path):
    # contract: D85
    replies = [
        plan("P3", "sec_99", "T_9 "),
        plan("P3", "doc", "sec_8", action="EXPAND_CHILDREN"),
        plan("sec_8", "sec_3", action="EXPAND_CHILDREN"),
        plan("t_11", "P17", "sec_12#g"),
    ]
    planner, ranking, _ = made(tmp_path, replies)
    first = planner.plan(ranking, 1, None)
    assert [(each.action, each.target) for each in first.directives] == [("MOVE_TO", "P3"), ("MOVE_TO", "t_9")]
    assert first.by == "planner" and first.candidates == ("P3", "t_9")
    assert first.dropped == ("'sec_99' is in no place of the document",)
    second = planner.plan(ranking, 2, Feedback("more"))
    assert [(each.action, each.target) for each in second.directives] == [
        ("EXPAND_CHILDREN", "sec_8"),
    ]  # fmt: skip
    assert second.dropped == ("P3 was visited", "'doc' is in no place of the document")
    planner.visited["sec_3"] = "MOVE_TO"
    third = planner.plan(ranking, 3, Feedback("more"))
    assert [each.target for each in third.directives] == ["sec_3"], "a section moved to may be expanded, once"
    fourth = planner.plan(ranking, 4, Feedback("more"))
    assert [each.target for each in fourth.directives] == ["sec_12"], "a hidden node and an unknown page are no places"


def test_a_planner_that_says_nothing_usable_goes_by_the_search_and_never_twice_to_a_place(tmp_path):
    # contract: D99
    replies = [*["no"] * 4, ModelError("down"), plan("P3"), *["no"] * 4]
    planner, ranking, client = made(tmp_path, replies, places=1)
    plans = [planner.plan(ranking, step, None) for step in range(1, 4)]
    assert [each.by for each in plans] == ["rule", "rule", "rule"] and len(client.received) == 6
    assert plans[0].directives[0].target == "P3" and plans[2].dropped == ("P3 was visited",)
    planner.plan(ranking, 4, None)
    assert sorted(planner.visited) == ["P0", "P1", "P2", "P3"]
    client.replies = lambda messages: plan("P0", "P1")
    assert planner.plan(ranking, 5, None) is None
    assert len(planner.faults) == 3


def test_the_reason_of_a_replan_reaches_the_planner(tmp_path):
    # contract: D99
    planner, ranking, _ = made(tmp_path, [])
    planner.visited["P3"] = "MOVE_TO"
    message = planner.message(ranking, 2, Feedback("The fee of 2020 is missing.", "fee 2020"))
    history = message.first("history").text
    assert history == (
        "Conversation so far:\nreasoner: The fee of 2020 is missing.\nlook for: fee 2020\nvisited: page_4"
    )
    assert "P3" not in [data["node_id"] for data in blocks(message, "page")]


def test_no_document_is_too_large_for_the_planner(tmp_path):
    # contract: D86
    build = TreeBuilder(25)
    text = "The mooring fee of quay {} is {} crowns a day, and a good deal more on feast days. " * 30
    for number in range(100):
        if number % 4 == 0:
            build.section(f"sec_{number}", f"{number} Mooring fee " + "of the longest title " * 30, number // 4)
        build.leaf(f"t_{number}", text.replace("{}", str(number)), number // 4)
    planner, ranking, _ = made(tmp_path, [], build.build())
    message = planner.message(ranking, 1, Feedback("x" * 9_000, "y" * 9_000))
    whole = sum(len(block.text) for block in message.blocks)
    shown = sum(len(block.text) for block in message.blocks if block.kind == "node")
    assert 2_000 < shown <= MAX_PLAN_CHARACTERS and whole < MAX_PLAN_CHARACTERS + 3_000
    assert len(planner.memory.document.tree.page_text(0)) > MAX_PLAN_CHARACTERS, "one page alone is larger"
    assert all(
        text.replace("{}", str(number)).strip() not in block.text for block in message.blocks for number in range(9)
    )


def test_each_role_is_conditioned_by_a_sentence_of_its_own_as_sent(tmp_path):
    # contract: D87
    text = "How many ships came in May and who works in two shifts?"
    parts = ["How many ships came in May?", "Who works in two shifts?"]
    replies = [
        json.dumps({"sub_questions": parts}),
        plan("P1"), json.dumps({"chart_form": "bar", "reading": "31 in May"}), answer("31", "img_6"),
        plan("P2"), json.dumps({"chart_form": "none", "reading": "a quay"}), answer("pilots", "t_9"),
        json.dumps({"answer": "31; pilots"}),
    ]  # fmt: skip
    client = ScriptedClient(replies)
    ctx = navigation_context(
        harbour_tree(), tmp_path, client, page_image=lambda page: PageImage(page, Image.new("RGB", (90, 90)))
    )
    row = make_strategy(NavigatorMethod()).answer(question(text), ctx)
    assert row.answer == "31; pilots" and len(client.received) == len(replies)
    said = {
        "router": "You are a router of questions about a document.",
        "planner": "You are a document navigator.",
        "image_observer": "You are an observer of figures.",
        "reasoner": "You are an analyst reasoning over structured evidence.",
        "combiner": "You are an analyst reasoning over structured evidence.",
    }
    heard = set()
    for (message,) in client.received:
        role = message.first("role").data["role"]
        ours = "\n".join(block.text for block in message.of("instruction", "role"))
        assert said[role] in ours, role
        assert not [other for other in set(said.values()) - {said[role]} if other in ours], role
        heard.add(role)
    assert heard == set(said)
    sent = {ref.partition("@")[0] for ref in row.prompt_ids}
    assert {f"navigator.{role}" for role in said} <= sent


def test_questions_are_rewritten_with_the_hints_of_their_domain(tmp_path):
    # contract: D88
    assert hints_for("How many line plots are there in the report?") == ("figure count", "chart title")
    assert hints_for("Which share of the fees was waived?") == ("table column", "percentage")
    assert hints_for("Is it green?") == ()
    assert (
        rewritten("Who wrote the bylaws? Write the answer in string format.", "")
        == "Who wrote the bylaws? names and titles of people"
    )
    assert rewritten("Who wrote it?", "wharf 1903") == "wharf 1903 names and titles of people"
    planner, ranking, _ = made(tmp_path, [], text="How many figures show the trend?")
    told = [block.text for block in planner.message(ranking, 1, None).of("instruction")]
    assert told[-1] == "Name at most 2 places. Hints: figure count; chart title; axis."


def test_windows_leave_out_what_was_visited_or_observed(tmp_path):
    # contract: D99
    planner, ranking, _ = made(tmp_path, [])
    memory = planner.memory
    headings = [block.data["node_id"] for block in headings_topk(memory, ranking, set(), 9_000)]
    assert headings[0] == "sec_12"
    assert [block.data["node_id"] for block in headings_topk(memory, ranking, {"sec_12"}, 9_000)] == headings[1:]
    seen = {block.data["node_id"] for block in hit_summary(memory, ranking, {"P3"}, 9_000)}
    assert "P3" not in seen and "t_13" in seen
    assert hit_summary(memory, ranking, set(), 10) == []


def test_a_page_is_known_by_the_number_that_prompts_give_it(tmp_path):
    planner, ranking, _ = made(tmp_path, [])
    page = next(block for block in planner.message(ranking, 1, None).blocks if block.data.get("node_id") == "P3")
    assert page.text.startswith('<evidence page="4" printed="3">\n<node page_4 page>')
    names = ("page_4", "page 4", "Page 4", "4", "P3")
    assert {place_of(planner.memory, name) for name in names} == {"P3"}
    assert place_of(planner.memory, "page_400") is None
