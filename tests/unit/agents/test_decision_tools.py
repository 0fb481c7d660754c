"""The tools of the decision agent, one by one, over a document's real index."""

import asyncio
import inspect
from typing import Any

import pytest
from helpers.decision import Desk, Model, index_of, prompt_text
from helpers.index_trees import TreeBuilder

from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Tool
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.models.blocks import PageImage
from cosee.registry import TOOLS

SEARCHES = ("fast_vector_search", "colqwen_visual_search")
NOTHING = "xylophone quartz"


def fill(desk: Desk, tokens: int) -> None:
    """Put so many tokens into the environment, ten objects on the document's pages."""
    text = "word " * (tokens * 4 // 50)
    values = [{"page_number": n % 5 + 1, "text": f"number {n} {text}"} for n in range(10)]
    desk.state.environment.add("fast_vector_search", Result(values, {}, "text_results"))
    desk.state.tasks_completed["fast_vector_search"] = [0.1]


@pytest.mark.parametrize("kind", [each.thing for each in TOOLS.entries()], ids=lambda kind: kind.name)
def test_every_tool_keeps_the_contract(kind: type[Tool]) -> None:
    # contract: E16
    desk = Desk(Model())
    tool = desk.tools[kind.name]
    assert tool.name and tool.description and tool.end is (tool.name == "text_response")
    assert inspect.isasyncgenfunction(type(tool).__call__)
    assert asyncio.run(tool.run_if_true(desk.state)) == (False, {})
    assert isinstance(desk.available(tool.name), bool)


def test_searches_are_always_available_and_the_answer_once_there_is_something() -> None:
    # contract: E17, E19
    desk = Desk(Model())
    assert all(desk.available(name) for name in SEARCHES) and not desk.available("text_response")
    desk.use("fast_vector_search", query=NOTHING)
    assert desk.state.environment.is_empty()
    assert desk.available("text_response") and all(desk.available(name) for name in SEARCHES)


def test_pages_are_looked_at_only_after_a_visual_search() -> None:
    # contract: E18
    desk = Desk(Model())
    assert not desk.available("visual_interpretation")
    desk.use("fast_vector_search", query="Heron")
    assert not desk.available("visual_interpretation")
    desk.use("colqwen_visual_search", query="Heron")
    assert desk.available("visual_interpretation")


def test_the_text_search_gives_five_results_at_most() -> None:
    # contract: E20
    build = TreeBuilder(9)
    for number in range(9):
        build.leaf(f"t_{number}", f"The pump of page {number} moves water." + " Fast." * number, number)
    desk = Desk(Model(), retriever=index_of(build.build()))
    (result,) = desk.use("fast_vector_search", query="Which pump moves water?")
    scores = [value["score"] for value in result.objects]
    assert len(scores) == 5 and scores == sorted(scores, reverse=True)
    best = result.objects[0]
    assert best["nodes"][0]["page"] == best["page_number"] and "moves water" in best["text"]
    assert result.message().endswith(f"Top result from page {best['page_number']}.")
    (further,) = desk.use("fast_vector_search", query="Which pump moves water?", skip=5)
    pages = [value["page_number"] for each in (result, further) for value in each.objects]
    assert sorted(pages) == list(range(1, 10))
    (error,) = desk.use("fast_vector_search", query="Which pump moves water?", skip=9)
    assert isinstance(error, Error) and error.message.startswith("No further text results")
    desk = Desk(Model())
    (result,) = desk.use("fast_vector_search", query="Introduction pumps ostrich rules")
    assert result.objects and "ostrich" not in str(result.objects)


def test_a_search_that_finds_nothing_is_a_recoverable_error_with_a_suggestion() -> None:
    # contract: E20
    desk = Desk(Model())
    (error,) = desk.use("fast_vector_search", query=NOTHING)
    assert isinstance(error, Error) and error.recoverable and "colqwen_visual_search" in str(error.suggestion)
    (error,) = desk.use("colqwen_visual_search", query="\u2603")
    assert isinstance(error, Error) and error.recoverable and "fast_vector_search" in str(error.suggestion)
    assert desk.state.environment.is_empty()


def test_the_visual_search_names_three_pages_and_their_pictures() -> None:
    # contract: E21
    desk = Desk(Model())
    (result,) = desk.use("colqwen_visual_search", query="Heron pump accuracy method results")
    assert len(result.objects) == 3
    assert [value["image_path"] for value in result.objects] == [
        f"abc/144/{value['page_number']}.png" for value in result.objects
    ]
    assert result.objects[0]["page_number"] == 5 and result.name == "visual_pages"


def test_two_pages_of_the_last_visual_search_are_looked_at() -> None:
    # contract: E22
    model = Model(sees_images=True, visual_interpretation={"interpretation": "A chart that rises."})
    desk = Desk(model)
    desk.use("colqwen_visual_search", query="introduction water reason")
    desk.use("colqwen_visual_search", query="Heron pump accuracy method results")
    found = desk.state.environment.find("colqwen_visual_search", "visual_pages")
    last = [value["page_number"] for value in found[-1]["objects"]]
    assert len(last) == 3
    said, read = desk.use("visual_interpretation")
    assert [value["page_number"] for value in said.objects] == last[:2]
    assert said.objects[0]["interpretation"] == "A chart that rises."
    assert [message.first("image").data["page"] for message in model.prompts("visual_interpretation")] == last[:2]
    assert [value["page_number"] for value in read.objects] == last[:2]
    (error,) = desk.use("visual_interpretation", pages=[99])
    assert isinstance(error, Error) and error.recoverable


def test_the_answer_reads_the_environment_alone_in_eight_thousand_tokens() -> None:
    # contract: E23
    model = Model()
    desk = Desk(model)
    fill(desk, 40_000)
    desk.state.environment.hidden_environment["note"] = "SECRET"
    result, *tokens = desk.use("text_response")
    (message,) = model.prompts("text_response")
    evidence = message.of("page_text", "node", "table")
    assert 6_000 < sum(len(block.text) for block in evidence) // 4 <= 8_000
    assert "Heron" not in "".join(block.text for block in evidence) and "SECRET" not in prompt_text(message)
    assert result.objects[0]["page_references"] == [5] and result.objects[0]["explanation"]
    assert "".join(token["content"] for token in tokens) == result.objects[0]["answer"] == "88.1"


def test_an_answer_that_the_evidence_does_not_hold_says_so() -> None:
    # contract: E23
    desk = Desk(Model(text_response={"answer": "not answerable.", "explanation": "No accuracy is given."}))
    fill(desk, 100)
    found = desk.use("text_response")[0].objects[0]
    assert (found["answer"], found["sufficient"], found["explanation"]) == (
        NOT_ANSWERABLE,
        False,
        "No accuracy is given.",
    )
    desk = Desk(Model())
    desk.use("fast_vector_search", query=NOTHING)
    found = desk.use("text_response")[0].objects[0]
    assert found["answer"] == NOT_ANSWERABLE and "Nothing was found" in found["explanation"]


def test_the_summary_rule_holds_only_above_fifty_thousand_tokens() -> None:
    # contract: E24
    for tokens, fires in ((40_000, False), (60_000, True)):
        desk = Desk(Model())
        fill(desk, tokens)
        assert (desk.state.environment.estimate_tokens() > 50_000) is fires
        holds, inputs = asyncio.run(desk.tools["summarize"].run_if_true(desk.state))
        assert holds is fires and (inputs == {"max_summary_tokens": 5_000}) is fires


SUMMARY = {"points": [{"page": 2, "text": "The Heron reaches 88.1 %."}, {"page": 3, "text": "It uses 12 ms."},
                      {"page": 77, "text": "A page that nobody found."}]}  # fmt: skip


def test_a_summary_replaces_what_was_found_and_is_there_to_answer_from() -> None:
    # contract: E25, E26
    model = Model(summarize=SUMMARY)
    desk = Desk(model)
    fill(desk, 60_000)
    known = {value["_REF_ID"]: value["page_number"] for value in desk.state.environment.objects()}
    (result,) = desk.use("summarize")
    environment = desk.state.environment
    assert environment.hidden_environment["summary"] == result.objects
    assert environment.find("fast_vector_search") is None and not environment.is_empty()
    kept = environment.objects()
    assert [(value["page_number"], value["text"]) for value in kept] == [
        (2, "The Heron reaches 88.1 %."), (3, "It uses 12 ms."),
    ]  # fmt: skip
    assert all(known[value["_REF_ID"]] == value["page_number"] for value in kept)
    assert desk.available("text_response") and desk.available("fast_vector_search")
    assert asyncio.run(desk.tools["summarize"].run_if_true(desk.state)) == (False, {})
    desk.use("text_response")
    assert "88.1 %" in prompt_text(model.prompts("text_response")[0])
    desk.use("fast_vector_search", query="Heron")
    references = [value["_REF_ID"] for value in environment.objects()]
    assert len(references) == len(set(references))


@pytest.mark.parametrize("reply", ["no summary", {"points": [{"page": 77, "text": "nowhere"}]}])
def test_without_a_usable_summary_the_beginnings_are_kept(reply: object) -> None:
    # contract: E25
    desk = Desk(Model(summarize=reply))
    fill(desk, 60_000)
    desk.use("summarize")
    kept = desk.state.environment.objects()
    assert [value["text"][:8] for value in kept] == [f"number {n}" for n in range(10)]
    assert desk.state.environment.estimate_tokens() < 6_000


def test_a_summary_keeps_to_its_length() -> None:
    points = [{"page": n % 5 + 1, "text": "word " * 400} for n in range(40)]
    desk = Desk(Model(summarize={"points": points}))
    fill(desk, 60_000)
    desk.use("summarize", max_summary_tokens=1_000)
    assert 0 < desk.state.environment.estimate_tokens() < 1_300


def test_a_node_is_opened_with_all_that_is_in_it() -> None:
    desk = Desk(Model())
    (result,) = desk.use("open_node", node_id="SEC_5")
    ids = [node["node_id"] for value in result.objects for node in value["nodes"]]
    assert ids == ["sec_5", "sec_6", "t_7", "t_8", "img_9", "t_10"] and result.objects[0]["page_number"] == 4
    for name in ("t_99", "../t_7", "t_3"):
        (error,) = desk.use("open_node", node_id=name)
        assert isinstance(error, Error) and error.recoverable and name in error.message


def test_a_table_is_read_by_id_or_label_whole_or_in_part() -> None:
    desk = Desk(Model())
    for name in ("tab_12", "table 2"):
        (result,) = desk.use("read_table", table=name)
        assert result.objects[0]["nodes"][0]["rows"] == [
            ["Model", "Accuracy (%)", "Latency (ms)"], ["Heron", "88.1", "12"], ["Egret", "84.0", "9"],
        ]  # fmt: skip
    (result,) = desk.use("read_table", table="tab_12", rows="egret")
    assert result.objects[0]["text"] == "Model | Accuracy (%) | Latency (ms)\nEgret | 84.0 | 9"
    assert "Heron | 88.1" in desk.state.environment.to_llm_context()
    for name, rows in (("img_9", ""), ("Table 9", ""), ("tab_12", "stork")):
        (error,) = desk.use("read_table", table=name, rows=rows)
        assert isinstance(error, Error) and error.recoverable


def test_figures_tables_and_sections_are_listed() -> None:
    desk = Desk(Model())
    (figures,) = desk.use("list_figures")
    assert [value["nodes"][0]["node_id"] for value in figures.objects] == ["img_9"]
    assert "line" in figures.objects[0]["text"] and figures.objects[0]["page_number"] == 4
    (sections,) = desk.use("list_figures", kind="section")
    assert len(sections.objects) == 4
    (everything,) = desk.use("list_figures", kind="any", page=5)
    assert [value["nodes"][0]["node_id"] for value in everything.objects] == ["sec_11", "tab_12"]
    (error,) = desk.use("list_figures", kind="table", page=1)
    assert isinstance(error, Error) and error.recoverable


def test_the_quality_of_a_page_or_figure_is_measured() -> None:
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    sharp = Image.new("RGB", (800, 1000), "white")
    for line in range(60, 900, 40):
        font = ImageFont.load_default(size=24)
        ImageDraw.Draw(sharp).text((60, line), "The Heron pump moves water quickly.", fill="black", font=font)
    pictures = {1: sharp, 4: sharp.filter(ImageFilter.GaussianBlur(4))}
    desk = Desk(Model(), page_image=lambda page: PageImage(page, pictures[page]))
    (clear,), (blurred,) = (desk.use("assess_image_quality", page=page) for page in (1, 4))
    assert clear.objects[0]["quality"]["score"] > blurred.objects[0]["quality"]["score"]
    assert blurred.metadata["faults"] != "none" and "of 5" in desk.state.environment.to_llm_context()
    (figure,) = desk.use("assess_image_quality", page=4, node_id="img_9")
    assert figure.objects[0]["text"].startswith("Figure 3 on page 4")
    for inputs in ({"page": 9}, {"page": 1, "node_id": "img_9"}, {"page": 1, "node_id": "t_99"}):
        (error,) = desk.use("assess_image_quality", **inputs)
        assert isinstance(error, Error) and error.recoverable and error.suggestion


FIRST = {"table": "tab_12", "row": "1", "column": "2"}


@pytest.mark.parametrize(
    ("name", "inputs", "told"),
    [
        ("open_node", {"node_id": "tab_21"}, "Ids in the evidence are tab_12 (Table 2, page 5), "),
        ("read_table", {"table": "Table 9"}, "Tables are tab_12 (Table 2, page 5)"),
        ("read_table", {"table": "Table 2", "rows": "Stork"}, "Its rows begin with 'Heron', 'Egret'"),
        ("list_figures", {"kind": "table", "page": 4}, "1 of kind 'table', 4 of kind 'section', 1 of kind 'equation'"),
        ("list_figures", {"kind": "figure", "page": 17}, "Pages are 1 to 5"),
        ("assess_image_quality", {"page": 9}, "Pages are 1 to 5"),
        ("assess_image_quality", {"page": 4, "node_id": "img_1"}, "of page 4 are img_9 (Figure 3, page 4)"),
        ("visual_interpretation", {"pages": [99]}, "Use pages of the last visual search: ["),
        ("calculate", {"expression": "a", "cells": {"a": {**FIRST, "table": "T"}}}, "Tables are tab_12 (Table 2, "),
        ("calculate", {"expression": "a / b", "cells": {"a": FIRST}}, "'b' names no cell; cells are given for 'a'"),
        ("calculate", {"expression": "a", "cells": {"a": {**FIRST, "row": "Stork"}}}, "there are 'Heron', 'Egret'"),
    ],
)  # fmt: skip
def test_who_names_what_is_not_there_is_told_what_is(name: str, inputs: dict[str, Any], told: str) -> None:
    # contract: E13
    desk = Desk(Model())
    desk.use("fast_vector_search", query="Heron accuracy")
    desk.use("colqwen_visual_search", query="Heron")
    (error,) = desk.use(name, **inputs)
    assert isinstance(error, Error) and error.recoverable and told in error.feedback()


def test_before_anything_was_found_the_sections_are_what_can_be_opened() -> None:
    (error,) = Desk(Model()).use("open_node", node_id="chapter 2")
    assert "Sections are sec_1 (1 Introduction, page 3), sec_5 (2 Method, page 4), sec_6" in error.suggestion


CELLS = {
    "a": {"table": "tab_12", "row": "Heron", "column": "Accuracy (%)"},
    "b": {"table": "Table 2", "row": "2", "column": "accuracy"},
}


def test_named_cells_are_computed_with_and_cited() -> None:
    desk = Desk(Model())
    (result,) = desk.use("calculate", expression="(a - b) / b * 100", cells=CELLS)
    value = result.objects[0]
    assert value["value"] == pytest.approx((88.1 - 84.0) / 84.0 * 100) and value["page_number"] == 5
    assert [(cell["name"], cell["node_id"], cell["row"], cell["text"]) for cell in value["cells"]] == [
        ("a", "tab_12", "Heron", "88.1"), ("b", "tab_12", "Egret", "84.0"),
    ]  # fmt: skip
    assert "88.1 (Heron, Accuracy (%); page 5)" in desk.state.environment.to_llm_context()


@pytest.mark.parametrize(
    ("expression", "cells", "complaint"),
    [
        ("a / 0", CELLS, "division by zero"),
        ("a + c", CELLS, "'c' names no cell"),
        ("__import__", {}, "names no cell"),
        ("os('x')", {}, "is no number, name, bracket"),
        ("a.b", CELLS, "no number"),
        ("a ** b ** a", CELLS, "not expected"),
        ("a", {"a": {**CELLS["a"], "row": "Stork"}}, "'Stork' is no row of tab_12; there are 'Heron', 'Egret'"),
        ("a", {"a": {**CELLS["a"], "column": "Model"}}, "is no number"),
        ("a", {"a": {**CELLS["a"], "table": "tab_99"}}, "there is no table 'tab_99'"),
        ("1 +", {}, "ends too early"),
        ("(" * 60 + "1" + ")" * 60, {}, "inside each other"),
    ],
)
def test_what_cannot_be_computed_is_an_error_that_says_why(expression: str, cells: dict, complaint: str) -> None:
    (error,) = Desk(Model()).use("calculate", expression=expression, cells=cells)
    assert isinstance(error, Error) and error.recoverable and complaint in error.message
