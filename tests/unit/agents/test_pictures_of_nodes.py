"""What only a picture shows: shown to a model that sees, or named as not shown; parts of it larger where it asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from helpers.agent_trees import TextOnly, context, question, small_tree
from helpers.decision import Desk, Model, call, index_of
from helpers.decision import context as decision_context
from helpers.index_trees import TreeBuilder
from helpers.navigation import answer, memory_of, navigation_context, plan
from PIL import Image

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.decision.decision import tools_block
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.agents.navigator.observers import observe
from cosee.agents.navigator.paths import Directive, reach
from cosee.agents.navigator.reasoner import evidence_blocks
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import Message, PageImage
from cosee.models.messages import NOT_SHOWN
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient


class Seeing(ScriptedClient):
    """A scripted client that sees and answers in a grid of 1000."""

    box_grid = 1000.0


def gallery(figures: int, *, tables: bool = True) -> DocTree:
    """One page of raster charts that nothing is known of, a table that is only a picture, and one with cells."""
    build = TreeBuilder(1)
    for number in range(figures):
        build.image(f"img_{number}", f"Figure {number}", 0, label=f"Figure {number}", kind="statistical",
                    chart_form="unknown")  # fmt: skip
    if tables:
        build.table("tab_8", "Table 1: Fees", [], 0, label="Table 1")
        build.table("tab_9", "Table 2: Wages", [["Who", "Crowns"], ["Pilot", "31"]], 0, label="Table 2")
    return build.build("gallery")


def page_images(side: int = 200) -> Callable[[int], PageImage]:
    return lambda page: PageImage(page, Image.new("RGB", (side, side)))


def reading(text: str, **fields: object) -> str:
    return json.dumps({"chart_form": "none", "reading": text, **fields})


def pictures(message: Message) -> list[PageImage]:
    return [block.image for block in message.blocks if block.image is not None]


def test_a_table_that_is_only_a_picture_is_shown_and_what_is_not_shown_is_named(tmp_path) -> None:
    # contract: D91
    client = Seeing([reading("It rises to 31.", chart_form="line"), reading("A bar for May."), reading("Fee: 40.")])
    ctx = navigation_context(gallery(4), tmp_path, client, page_image=page_images())
    memory = memory_of(ctx)
    reached = reach(memory.document, Directive(target="P0"))
    observe(memory, reached, "What?", nodes=50, images=3)
    named = {messages[0].blocks[1].data["node_id"] for messages in client.received}
    assert len(named) == 3 and all(len(pictures(messages[0])) == 1 for messages in client.received)
    (block,) = evidence_blocks(memory, ["img_0", "img_1", "img_2", "img_3", "tab_8", "tab_9"])
    assert "Form: line chart.\nSeen: It rises to 31." in block.text, "the form that the model named is told"
    assert block.text.count(NOT_SHOWN) == 2
    last = block.text[block.text.index("<node img_3") :]
    assert last.count(NOT_SHOWN) == 2 and NOT_SHOWN not in last[last.index("<node tab_9") :]
    # Another round shows what was left, and only that.
    client = Seeing([reading("Nothing."), reading("Fee: 40 crowns.")])
    memory.context = replace(ctx, client=client)
    observe(memory, reached, "What?", nodes=50, images=3)
    assert [messages[0].blocks[1].data["node_id"] for messages in client.received] == ["img_3", "tab_8"]
    (block,) = evidence_blocks(memory, ["img_3", "tab_8", "tab_9"])
    assert NOT_SHOWN not in block.text and "Seen: Fee: 40 crowns." in block.text


def test_a_figure_is_seen_larger_where_the_model_asks_and_pictures_are_left(tmp_path) -> None:
    client = Seeing([reading("Too small.", zoom=[500, 0, 1000, 500]), reading("So.", zoom=[0, 0, 100, 100]),
                     reading("31 ships.", zoom=[0, 0, 10, 10])])  # fmt: skip
    ctx = navigation_context(gallery(2), tmp_path, client, page_image=page_images(1000))
    memory = memory_of(ctx)
    reached = [each for each in reach(memory.document, Directive(target="P0")) if each[0].startswith("img")]
    observe(memory, reached, "How many?", nodes=50, images=3)
    assert len(client.received) == 3, "what is left of the pictures, and no part of a part"
    whole, part = pictures(client.received[0][0])[0].size, pictures(client.received[2][0])[0].size
    assert part == pytest.approx((whole[0] / 2, whole[1] / 2), abs=1)
    seen = memory.observations["img_0"]
    left, top, right, bottom = seen.payload["zoom"]
    box = seen.data["bbox"]
    assert box[0] < left < right <= box[2] + 0.011 and box[1] - 0.011 <= top < bottom < box[3]
    (block,) = evidence_blocks(memory, ["img_0"])
    assert "Seen closer: 31 ships." in block.text
    assert "1000 being its whole width and height" in client.received[0][0].blocks[-1].text


def test_a_zoom_of_the_navigator_stands_in_its_trace(tmp_path) -> None:
    zoomed = [plan("P0"), reading("Small.", zoom=[0, 0, 500, 500]), reading("31."), answer("31", "img_0")]
    client = Seeing(zoomed)
    ctx = navigation_context(gallery(1, tables=False), tmp_path, client, page_image=page_images())
    row = make_strategy(NavigatorMethod()).answer(question("How many ships in May?"), ctx)
    assert row.answer == "31"
    (event,) = [each for each in ctx.trace.events if each.type == "observation"]
    (record,) = [each for each in event.data["observations"] if each["node_id"] == "img_0"]
    assert record["payload"]["seen_closer"] == "31." and len(record["payload"]["zoom"]) == 4


@pytest.mark.parametrize("sees", [True, False])
def test_figures_of_pages_without_their_picture_are_named_to_a_model_that_sees(sees: bool) -> None:
    build = TreeBuilder(2)
    build.leaf("t_1", "Figure 1 stands on the other page.", 0)
    build.image("img_2", "Figure 1", 1, label="Figure 1")
    tree = build.build("two")
    reply = json.dumps({"explanation": "", "quotes": [], "answer": "1", "confidence": 1})
    client = Seeing([reply]) if sees else TextOnly([reply])
    ctx = context(client, pages=[1], tree=tree, page_image=page_images(40))
    make_strategy(PageRagMethod(pages=1)).answer(question("How many figures are there in the document?"), ctx)
    text = "".join(block.text for block in client.received[0][0].blocks)
    assert "<node img_2" in text and text.count(NOT_SHOWN) == int(sees)
    assert [image.page for image in pictures(client.received[0][0])] == ([1] if sees else [])


def action(name: str, **fields: object) -> str:
    return json.dumps({"action": name, "content": "seen", "quote": "", **fields})


def test_agents_see_a_box_of_the_board_larger_from_the_next_turn_on() -> None:
    view = {"page": 2, "bbox": [500, 500, 1000, 1000]}
    client = Seeing(
        [action("INSPECT", view=view, zoom=True), *[action("INSPECT", view={"page": 1, "bbox": [0, 0, 90, 90]})] * 2]
    )
    ctx = context(client, pages=[2, 1], page_image=page_images(100))
    make_strategy(CoSeeMethod(pages=2, max_steps=1)).answer(question("What?"), ctx)
    shown = [[(image.page, image.size) for image in pictures(messages[0])] for messages in client.received]
    pages = [(2, (100, 100)), (1, (100, 100))]
    assert shown == [pages, [*pages, (2, (50, 50))], [*pages, (2, (50, 50))]]
    blocks = client.received[1][0].blocks
    kinds = [block.kind for block in blocks]
    place = kinds.index("board")
    assert kinds[place - 2 : place] == ["image", "page_text"], "after what all turns share"
    assert '<evidence page="2" part="[500, 500, 1000, 1000]">' in blocks[place - 1].text
    (asked,) = [each for each in ctx.trace.events if each.type == "action" and each.data.get("zoom")]
    assert asked.data["view"]["bbox"] == (0.5, 0.5, 1.0, 1.0)
    assert "zoom" in client.received[0][0].blocks[-1].text


def test_larger_boxes_are_bounded_and_not_offered_to_a_model_that_sees_nothing() -> None:
    wanted = [action("INSPECT", view={"page": 1, "bbox": [n, n, n + 300, n + 300]}, zoom=True) for n in (0, 100, 200)]
    client = Seeing([*wanted, action("INSPECT", view={"page": 1})], repeat_last=True)
    make_strategy(CoSeeMethod(pages=1, max_steps=2, zooms=2)).answer(
        question("What?"), context(client, pages=[1], page_image=page_images(100))
    )
    assert max(len(pictures(messages[0])) for messages in client.received) == 3, "the page and two boxes"
    blind = TextOnly([action("INSPECT", view={"page": 1}, zoom=True)], repeat_last=True)
    make_strategy(CoSeeMethod(pages=1, max_steps=1)).answer(question("What?"), context(blind, pages=[1]))
    assert "zoom" not in blind.received[0][0].blocks[-1].text


def test_larger_boxes_cost_no_agent_its_turn_where_the_budget_ends() -> None:
    wanted = action("INSPECT", view={"page": 1, "bbox": [0, 0, 300, 300]}, zoom=True)
    hypothesis = action("HYPOTHESIZE", view={"page": 1}, answer="12", confidence=0.4)
    budget = Budget(images=4)
    client = MeteredClient(Seeing([wanted, wanted, hypothesis]), budget)
    ctx = context(client, pages=[1], page_image=page_images(100), budget=budget)
    row = make_strategy(CoSeeMethod(pages=1, max_steps=1)).answer(question("What?"), ctx)
    shown = [len(pictures(messages[0])) for messages in client.client.received]  # type: ignore[attr-defined]
    assert shown == [1, 2, 1], "the page each time, and a larger box as long as pictures are left"
    assert (row.answer, row.status, row.usage.images) == ("12", "ok", 4)


class SeeingModel(Model):
    """The desk's scripted model, which answers in a grid of 1000."""

    box_grid = 1000.0


def test_the_decision_agent_looks_closer_at_a_box_or_a_figure() -> None:
    model = SeeingModel(sees_images=True, visual_interpretation={"interpretation": "It says 88."})
    desk = Desk(model, page_image=page_images(100))
    assert not desk.available("zoom"), "nothing was found yet"
    desk.use("fast_vector_search", query="Heron")
    assert desk.available("zoom")
    (box,) = desk.use("zoom", page=4, bbox=[500, 0, 1000, 250])
    assert isinstance(box, Result) and box.objects[0]["bbox"] == [0.5, 0.0, 1.0, 0.25]
    assert "[500, 0, 1000, 250] of page 4" in desk.state.environment.to_llm_context()
    assert pictures(model.received[-1][0])[0].size == (50, 25)
    (figure,) = desk.use("zoom", page=4, node_id="img_9")
    assert isinstance(figure, Result) and "It says 88." in figure.objects[0]["text"]
    for inputs in ({"page": 99}, {"page": 4}, {"page": 4, "bbox": [0, 0, 2000, 10]}, {"page": 4, "node_id": "img_77"}):
        (error,) = desk.use("zoom", **inputs)
        assert isinstance(error, Error) and error.recoverable
        assert "1 to 5" in (error.suggestion or "") or "img_9" in (error.suggestion or ""), "what there is"
    told = tools_block(desk.state, [desk.tools["zoom"]], 1000.0).text
    assert "1000 being its whole width and height" in told and '"asked"' not in told
    assert not Desk(Model()).available("zoom")


def test_what_the_decision_agent_looked_at_costs_it_no_answer() -> None:
    zoom = call("zoom", page=4, bbox=[500, 0, 1000, 250])
    found = [call("fast_vector_search", query="Heron"), call("open_node", node_id="img_9")]
    model = SeeingModel([*found, zoom], sees_images=True, visual_interpretation={"interpretation": "It says 88."})
    budget = Budget(images=2)
    desk = Desk(MeteredClient(model, budget), page_image=page_images(100), budget=budget)
    assert desk.run() == "answered"
    (asked,) = model.prompts("text_response")
    assert [image.page for image in pictures(asked)] == [5], "what the budget leaves of two pages"
    assert asked.blocks[-1].kind == "instruction" and desk.context.client.images_left == 0
    # A decision is made from text alone, and is told so of every figure.
    decided = model.prompts("decide")[-1]
    text = "".join(block.text for block in decided.blocks)
    assert not pictures(decided) and text.count(NOT_SHOWN) == text.count("<node img_") > 0


@pytest.mark.parametrize("sees", [True, False])
def test_the_first_pages_of_a_scan_that_no_search_finds_are_read_by_a_model_that_sees(sees: bool) -> None:
    build = TreeBuilder(5)
    build.image("img_1", "", 1)
    replies = {"explanation": "Page 2 shows it.", "answer": "412", "confidence": 0.9,
               "quotes": [{"page": 2, "quote": "412 people", "bbox": [100, 100, 500, 200]}]}  # fmt: skip
    nothing = [call("fast_vector_search", query="people"), call("read_table", table="1")]
    model = SeeingModel([*nothing, *nothing], sees_images=sees, text_response=replies)
    ctx = decision_context(model, retriever=index_of(build.build("scan")), page_image=page_images(100))
    row = make_strategy(DecisionMethod()).answer(question("How many people are there?"), ctx)
    if not sees:
        assert row.abstained and not model.prompts("text_response")
        return
    (asked,) = model.prompts("text_response")
    assert [image.page for image in pictures(asked)] == [1, 2, 3]
    assert (row.answer, row.read_pages) == ("412", [1, 2, 3])
    (piece,) = row.support
    assert (piece.page, piece.bbox, piece.unverified) == (2, (0.1, 0.1, 0.5, 0.2), "the page has no text")


def test_small_tree_has_no_pictures() -> None:
    """The trees of other tests are shown as before: nothing of theirs is a picture."""
    ctx = context(Seeing([json.dumps({"answer": "1"})]), pages=[1], page_image=page_images(40))
    make_strategy(PageRagMethod(pages=1)).answer(question("How many tables are there?"), ctx)
    text = "".join(block.text for block in ctx.client.received[0][0].blocks)  # type: ignore[attr-defined]
    assert NOT_SHOWN not in text and small_tree().node("tab_3").table is not None
