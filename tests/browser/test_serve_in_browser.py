"""The pages of ``cosee serve`` as a person uses them: a real server on a real socket, a real browser."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.browser import HOSTILE, WIDTHS, Watched, spilled, watching, window
from helpers.project import Project
from helpers.search_server import SlowClient, running, wait

from cosee.artifacts.documents.doctree import DocTree
from cosee.commands.search_service import Limits, SearchService
from cosee.commands.serve import make_service
from cosee.pipeline.config import read_config

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
PAGES = {"asking": "", "endpoint": "docs", "report": "results/report/index.html"}
QUESTION = "How wide was the river?"


@pytest.fixture(scope="module")
def service(project: Project) -> Iterator[SearchService]:
    before = Path.cwd()
    os.chdir(project.folder)
    yield make_service(read_config(Path("config/config.yaml")), None, None, Limits())
    os.chdir(before)


@pytest.fixture(scope="module")
def address(service: SearchService) -> Iterator[str]:
    with running(service) as port:
        yield f"http://localhost:{port}"


@pytest.fixture
def served(chromium, address: str) -> Iterator:
    with watching(chromium, address) as make:
        yield make


def ask(page, document: str, question: str) -> None:
    page.select_option("[name=document]", document)
    page.fill("[name=question]", question)
    page.keyboard.press("Enter")
    page.wait_for_selector("#result[aria-busy=false]", timeout=60_000)


def test_an_answer_comes_with_its_steps_and_its_box_on_the_page(served, project: Project) -> None:
    page = served().open("")
    ask(page, "alpha", QUESTION)
    assert "42" in page.locator("#answer").inner_text() and page.locator("#asked").inner_text() == QUESTION
    steps = page.locator("#steps > li h4").all_inner_texts()
    assert steps[0] == "1. fast vector search" and steps[-1].endswith("text response")
    page.locator("#steps summary").first.click()
    assert "river" in page.locator("#steps table").first.inner_text()
    assert "42 metres" in page.locator("#support blockquote.verified").first.inner_text()
    picture = page.locator("#page-1 img")
    picture.scroll_into_view_if_needed()
    picture.evaluate("each => each.decode()")
    tree = DocTree.load(project.data / "alpha" / "doctree.mm.json")
    node = next(each for each in tree.nodes if "42 metres" in each.text and each.type == "paragraph")
    frame, box = picture.bounding_box(), page.locator("#page-1 .box").first.bounding_box()
    left, top, right, bottom = node.regions[0].bbox
    wanted = (frame["x"] + left * frame["width"], frame["y"] + top * frame["height"],
              (right - left) * frame["width"], (bottom - top) * frame["height"])  # fmt: skip
    found = (box["x"], box["y"], box["width"], box["height"])
    assert all(abs(one - other) <= 2 for one, other in zip(found, wanted, strict=True)), (found, wanted)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_its_box_is_cut_or_needs_scrolling_aside(served, name: str, width: int) -> None:
    page = served(**window(width)).open(PAGES[name])
    assert spilled(page) == []
    if name == "asking":
        ask(page, "delta", f"How high was the tower {HOSTILE}?")
        assert spilled(page) == []
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4')).map(each => Number(each.tagName[1]))")
    assert levels[0] == 1 and all(later - earlier <= 1 for earlier, later in zip(levels, levels[1:], strict=False))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_schemes(served, scheme: str) -> None:
    for path in ("", "docs"):
        page = served(color_scheme=scheme).open(path)
        if not path:
            ask(page, "alpha", QUESTION)
        assert page.evaluate(CONTRAST) == []


def test_keyboard_alone_asks_and_stops(served) -> None:
    page = served().open("")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "document":
            break
    page.keyboard.press("b")
    assert page.locator("[name=document]").input_value() == "beta"
    page.keyboard.press("Tab")
    page.keyboard.type("What did the mill")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("earn?")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "submit"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("#result[aria-busy=false]", timeout=60_000)
    assert "310" in page.locator("#answer").inner_text()


def test_stopping_cancels_the_answer(chromium, service: SearchService) -> None:
    slow = replace(service, client=SlowClient(0.5))
    with running(slow) as port, watching(chromium, f"http://localhost:{port}") as make:
        page = make().open("")
        page.fill("[name=question]", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_selector("#steps > li")
        assert slow.active == 1
        page.locator("#stop").click()
        page.wait_for_selector("#result[aria-busy=false]")
        assert page.locator("#answer").inner_text() == "Stopped." and page.locator("[type=submit]").is_enabled()
        wait(lambda: slow.active == 0)  # the work has ended too


def test_what_the_server_refuses_is_told(chromium, address: str, project: Project) -> None:
    window = Watched(chromium, address)
    page = window.open("")
    part = project.folder / "indexes" / "tiny" / "gamma" / "id_maps.json"
    data = part.read_bytes()
    part.unlink()
    try:
        ask(page, "gamma", "Who measured twice?")
        assert "document 'gamma' has not been indexed" in page.locator("#answer").inner_text()
        assert "gamma" not in window.open("").locator("[name=document]").inner_text()
    finally:
        part.write_bytes(data)
    window.context.close()


def test_hostile_text_is_inert(served) -> None:
    page = served().open("")
    ask(page, "delta", f"How high was the tower {HOSTILE}?")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("window.broken") is None and page.locator("img[src=x]").count() == 0
    assert "<script>" in page.locator("#asked").inner_text()
    assert any("onerror=" in quote for quote in page.locator("#support blockquote").all_inner_texts())


def test_the_report_is_shown_with_pictures_that_it_lacks(served, project: Project, report: Path) -> None:
    kept = {path: path.read_bytes() for path in (report / "pages" / "tiny" / "alpha").iterdir()}
    page_file = report / "documents" / "tiny" / "alpha.html"
    before = page_file.read_text(encoding="utf-8")
    try:
        for path in kept:
            path.unlink()
        # As in a report of many documents: drawn from the nodes alone, and the last page not at all.
        drawn = re.sub(r"<img [^>]*>", "", before)
        last = max(path.stem for path in kept).lstrip("0")
        page_file.write_text(re.sub(rf'<figure id="page-{last}">.*?</figure>', "", drawn, flags=re.DOTALL))
        page = served().open("results/report/documents/tiny/alpha.html")
        pictures = page.locator("#gallery img")
        assert pictures.count() == len(kept) > 1
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            picture.evaluate("each => each.decode()")
            assert picture.evaluate("each => each.naturalWidth") > 100
        page = served().open("")
        page.select_option("[name=document]", "alpha")
        page.locator("#about").click()
        page.wait_for_url("**/results/report/documents/tiny/alpha.html")
    finally:
        for path, data in kept.items():
            path.write_bytes(data)
        page_file.write_text(before, encoding="utf-8")
