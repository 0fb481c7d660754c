"""The report as a reader uses it: opened from files in a real browser."""

import json
import re
from pathlib import Path

import pytest
from helpers.browser import OVERFLOW, WIDTHS, spilled, window

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.metrics import Metrics

METHODS = ("constant", "page_rag", "cosee", "navigator", "decision", "oracle_pages")
QUESTION = "questions/tiny/tiny/alpha-1.html"
PAGES = {
    "index": "index.html",
    "method": "methods/tiny/navigator.html",
    "question": QUESTION,
    "hostile question": "questions/tiny/tiny/delta-1.html",
    "document": "documents/tiny/delta.html",
    "pairs": "compare/pairs.html",
    "pair": "compare/tiny/cosee--navigator.html",
}
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
"""Texts of the page whose contrast with what is behind them is below 4.5."""


@pytest.mark.parametrize("width", [1280, 820])
def test_evidence_is_boxed_where_its_node_stands(watch, project, width: int) -> None:
    # contract: D107, C12
    page = watch(viewport={"width": width, "height": 900}).open("index.html")
    page.get_by_role("link", name="How wide was the river?").click()
    assert page.url.endswith(QUESTION)
    support = _prediction(project, "cosee", "alpha-1")["support"][0]
    tree = DocTree.load(project.data / "alpha" / "doctree.mm.json")
    (region,) = tree.node(support["node_id"]).regions
    picture = page.locator(f"#page-{region.page_idx + 1} img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    frame = picture.bounding_box()
    box = page.locator(f"#page-{region.page_idx + 1} .box:not(.cell)").first.bounding_box()
    left, top, right, bottom = region.bbox
    wanted = (
        frame["x"] + left * frame["width"], frame["y"] + top * frame["height"],
        (right - left) * frame["width"], (bottom - top) * frame["height"],
    )  # fmt: skip
    found = (box["x"], box["y"], box["width"], box["height"])
    assert all(abs(one - other) <= 2 for one, other in zip(found, wanted, strict=True)), (found, wanted)
    assert _dark_share(picture, left, top, right, bottom) > 0.02, "the box holds the words"


def test_filters_combine_count_and_stay_in_the_address(watch, project, report) -> None:
    metrics = Metrics.load(project.results / "tiny" / "metrics.json")
    window = watch()
    page = window.open("index.html#questions")
    assert _count(page) == 6
    for method in METHODS:
        page.select_option("[name=method]", method)
        block = metrics.methods[method].all
        chips = _chips(page)
        assert chips["right"] + chips["partly right"] >= block.causes.get("right", 0) >= chips["right"]
        assert sum(chips[name] for name in ("right", "partly right", "wrong", "abstained", "failed or missing")) == 6
        assert chips["failed or missing"] == 6 - block.statuses["ok"]
        rows = [_prediction(project, method, each) for each in _question_ids(project)]
        loose = sum(any(not each["quote_verified"] for each in row["support"] if each["quote"]) for row in rows)
        assert chips["unverified quote"] == loose
        missed = block.cited_pages.right_wrong_evidence
        assert chips["right, wrong evidence"] == round((missed or 0.0) * block.cited_pages.right_answers)
    page.select_option("[name=method]", "constant")
    page.get_by_label("abstained").check()
    abstained = _count(page)
    assert abstained == _chips(page)["abstained"] and 0 < abstained < 6
    page.select_option("[name=source]", "wells")
    assert _count(page) == 1 and "alpha-1" in page.locator("#rows a").first.get_attribute("href")
    assert page.locator("[name=format] option[value=Int]").get_attribute("data-count") == "1"
    assert "method=constant" in page.url and "outcome=abstained" in page.url and "source=wells" in page.url
    page.locator("#rows a").first.click()
    page.wait_for_selector("#m-constant > details[open]")
    assert page.url.endswith("#m-constant")
    page.go_back()
    page.wait_for_function("document.querySelectorAll('#rows tr').length === 1")
    again = watch().open(page.url.rsplit("/", 1)[1])
    assert _count(again) == 1 and again.locator("[name=method]").input_value() == "constant"
    page.get_by_role("button", name="Clear all").click()
    assert _count(page) == 6
    page.select_option("[name=document]", "beta")
    assert _count(page) == 2
    page.fill("[name=text]", "mill earn")
    assert _count(page) == 1
    page.fill("[name=text]", "")
    page.select_option(
        "[name=cause]", label=next(text for text in _options(page, "cause") if text.startswith("right ("))
    )
    assert _count(page) == sum("r" in causes for causes in _causes(report, "beta"))


def test_keyboard_reaches_filters_questions_and_rounds(watch) -> None:
    page = watch().open("index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    page.keyboard.type("tower")
    assert _count(page) == 1
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#rows') !== null"):
            break
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid", "the focus can be seen"
    page.keyboard.press("Enter")
    page.wait_for_url("**/delta-1.html")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/beta-2.html")
    page = watch().open("questions/tiny/tiny/alpha-2.html#m-cosee")
    story = page.locator("#m-cosee .story")
    slider = story.get_by_role("slider")
    last = int(slider.get_attribute("max"))
    cells = story.locator(".board li")
    assert last == 2 and cells.count() > 1
    slider.focus()
    page.keyboard.press("ArrowLeft")
    early = story.locator(".board li:visible").count()
    assert 0 < early < cells.count() and "after round 1 of 2" in story.inner_text()
    assert page.locator(".box.cell[data-round='2']:visible").count() == 0
    page.keyboard.press("ArrowRight")
    assert story.locator(".board li:visible").count() == cells.count()


def test_every_way_to_answer_is_told(watch) -> None:
    page = watch().open(QUESTION)
    for method, words in {
        "cosee": ["Board:", "round 1", "rests on"],
        "navigator": ["Way through the tree", "Router", "Plan", "Text observer", "Hypothesis"],
        "decision": ["Decisions:", "fast vector search", "Chunks", "Answer"],
    }.items():
        article = page.locator(f"#m-{method}")
        page.evaluate(f"for (const each of document.querySelectorAll('#m-{method} details')) each.open = true")
        text = article.inner_text()
        assert [word for word in words if word not in text] == [], method
        assert "Trace:" in text and "Retrieved" in text and "tokens in" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_text_stands_out_in_both_schemes(watch, name: str, scheme: str) -> None:
    page = watch(color_scheme=scheme).open(PAGES[name])
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    shade = sum(int(number) for number in re.findall(r"\d+", ground)[:3]) / 3
    assert shade < 60 if scheme == "dark" else shade > 200
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_box_is_cut_or_needs_scrolling_aside(watch, name: str, width: int) -> None:
    assert spilled(watch(**window(width)).open(PAGES[name])) == []


def test_what_leaves_its_box_or_is_cut_is_found(watch) -> None:
    page = watch().open(QUESTION)
    for style, what in (
        (".overview { display: block; width: 20rem; } .overview td { white-space: nowrap; }", "leaves its box"),
        (".answer { max-height: .5rem; overflow: hidden; }", "is cut below"),
        (".question { white-space: nowrap; font-size: 9rem; }", "leaves the window"),
        (".question { white-space: nowrap; font-size: 9rem; overflow: hidden; }", "is cut at the side"),
    ):
        added = page.add_style_tag(content=style)
        assert any(line.startswith(what) for line in page.evaluate(OVERFLOW)), style
        added.evaluate("each => each.remove()")
    assert page.evaluate(OVERFLOW) == []


def test_on_a_phone_the_page_comes_before_the_methods(watch) -> None:
    page = watch(viewport={"width": 360, "height": 760}, has_touch=True, is_mobile=True).open(QUESTION)
    tops = [page.locator(each).first.bounding_box()["y"] for each in (".verdict", ".shelf figure", "article.method")]
    assert tops == sorted(tops)
    wide = watch(viewport={"width": 1280, "height": 900}).open(QUESTION)
    shelf, cards = (wide.locator(each).bounding_box() for each in (".shelf", ".cards"))
    assert shelf["x"] >= cards["x"] + cards["width"], "beside each other where there is room"


def test_rotated_heads_stand_over_their_columns(watch) -> None:
    page = watch().open(PAGES["document"])
    heads = page.locator(".questions thead .vertical span").all()
    cells = page.locator(".questions tbody tr").first.locator("td.o").all()
    assert len(heads) == len(cells) == len(METHODS)
    for head, cell in zip(heads, cells, strict=True):
        above, below = head.bounding_box(), cell.bounding_box()
        assert abs(above["x"] + above["width"] / 2 - below["x"] - below["width"] / 2) <= 2


def test_a_question_begins_with_a_verdict_and_wrong_answers_have_their_cause(watch, project) -> None:
    by_question = {each: {name: _cause(project, name, each) for name in METHODS} for each in _question_ids(project)}
    asked, causes = next((each, causes) for each, causes in by_question.items() if {"right"} < set(causes.values()))
    page = watch().open(f"questions/tiny/tiny/{asked}.html")
    assert page.locator("h1 + .verdict").inner_text().endswith(".")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for method, cause in causes.items():
        why = page.locator(f"#m-{method} .why")
        assert why.count() == (cause != "right"), method
        if cause != "right":
            assert why.locator(f".key.part.{cause}").count() == 1
            assert len(why.inner_text()) > 30


def test_every_page_of_a_small_report_is_a_picture(watch, project) -> None:
    page = watch().open(PAGES["document"])
    tree = DocTree.load(project.data / "delta" / "doctree.mm.json")
    pictures = page.locator("#gallery img")
    assert pictures.count() == len(tree.pages)
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())


@pytest.mark.parametrize("name", PAGES)
def test_headings_names_and_tables_are_in_order(watch, name: str) -> None:
    page = watch().open(PAGES[name])
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4')).map(each => Number(each.tagName[1]))")
    assert levels[0] == 1 and all(later - earlier <= 1 for earlier, later in zip(levels, levels[1:], strict=False))
    assert page.locator("img:not([alt])").count() == 0
    assert page.locator("thead th:not([scope]), tbody th:not([scope])").count() == 0
    named = "each.labels?.length || each.getAttribute('aria-label') || each.textContent.trim()"
    fields = "Array.from(document.querySelectorAll('input,select,button'))"
    assert page.evaluate(f"{fields}.filter(each => !({named})).length") == 0


def test_hostile_text_is_inert(watch, project) -> None:
    for name in ("index", "hostile question", "document"):
        page = watch().open(PAGES[name])
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.wait_for_load_state("load")
        assert page.evaluate("window.broken") is None, name
        assert page.locator("img[src=x]").count() == 0, name
    page = watch().open("index.html#questions")
    assert "<script>" in page.locator("#rows").inner_text(), "shown as text"
    page = watch().open(PAGES["hostile question"])
    assert "onerror=" in page.locator("h1").inner_text() and "<script>" in page.locator(".gold").inner_text()
    quotes = [each["quote"] for each in _prediction(project, "page_rag", "delta-1")["support"]]
    assert any("<script>" in quote for quote in quotes), "the hostile sentence is cited"
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert "<script>" in page.locator("#m-page_rag blockquote").first.inner_text()


def test_without_scripts_the_figures_and_questions_can_be_read(watch) -> None:
    page = watch(java_script_enabled=False).open("index.html")
    assert page.get_by_role("heading", name="Accuracy").count() == 1
    page.get_by_role("link", name="alpha", exact=True).click()
    page.get_by_role("link", name="How wide was the river?").click()
    assert page.url.endswith(QUESTION)


def _count(page) -> int:
    return int(re.match(r"\d+", page.locator("#count").inner_text())[0])


def _chips(page) -> dict[str, int]:
    found = {}
    for label in page.locator(".chips label").all():
        parts = re.fullmatch(r"(.+?)\s*(\d+)", label.inner_text(), re.DOTALL)
        found[parts[1]] = int(parts[2])
    return found


def _options(page, name: str) -> list[str]:
    return page.locator(f"[name={name}] option").all_inner_texts()


def _causes(report: Path, doc_id: str) -> list[str]:
    text = (report / "lists" / "tiny.js").read_text(encoding="utf-8")
    run = json.loads(text.split("push(", 1)[1].rsplit(")", 1)[0])
    return [row[8] for row in run["rows"] if run["documents"][row[3]][1] == doc_id]


def _question_ids(project) -> list[str]:
    lines = (project.data / "qa" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question_id"] for line in lines]


def _cause(project, method: str, question_id: str) -> str:
    lines = (project.results / "tiny" / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return next(row["cause"] for row in rows if (row["method"], row["question_id"]) == (method, question_id))


def _prediction(project, method: str, question_id: str) -> dict:
    lines = (project.results / "tiny" / "predictions" / f"{method}.jsonl").read_text(encoding="utf-8").splitlines()
    return next(row for row in map(json.loads, lines) if row["question_id"] == question_id)


def _dark_share(picture, left: float, top: float, right: float, bottom: float) -> float:
    """Share of dark pixels of a part of a page's picture, read from its file."""
    from urllib.parse import unquote, urlparse

    from PIL import Image

    with Image.open(unquote(urlparse(picture.evaluate("each => each.src")).path)) as image:
        gray = image.convert("L")
        width, height = gray.size
        part = gray.crop((round(left * width), round(top * height), round(right * width), round(bottom * height)))
        values = part.tobytes()
    return sum(value < 128 for value in values) / max(len(values), 1)
