"""Boxes that a served model answers in its own grid stand in the report where the model saw them."""

from __future__ import annotations

import json

import pymupdf
import pytest
from helpers.model_server import MODEL, model_server
from helpers.project import CONFIG, TOPICS, Project, write_document, write_questions

from cosee.artifacts.documents.doctree import DocTree

SCANNED = [120, 140, 860, 185]
"""Where the model sees the words on the scanned page, in a grid of 1000."""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """A written document and the same kind as a scan without a text layer, each with a question."""
    project = Project.create(tmp_path_factory.mktemp("served") / "project")
    for name in ("beta", "gamma"):
        (project.data / name / "full.pdf").unlink()
        (project.data / name).rmdir()
    topics = {"alpha": TOPICS["alpha"], "scan": TOPICS["beta"]}
    write_document(project.folder / "written.pdf", *TOPICS["beta"][:2])
    (project.data / "scan").mkdir()
    with pymupdf.open(project.folder / "written.pdf") as written, pymupdf.open() as scan:
        for page in written:
            picture = page.get_pixmap(dpi=100)
            scan.new_page(width=page.rect.width, height=page.rect.height).insert_image(page.rect, pixmap=picture)
        scan.save(project.data / "scan" / "full.pdf")
    write_questions(project.data, topics)
    fact = TOPICS["alpha"][1]
    with model_server() as server:
        server.replies = [reply(fact, [115, 140, 880, 175], "42"), reply(TOPICS["beta"][1], SCANNED, "310")]
        entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "box_grid": 1000, "concurrency": 1}
        (project.folder / "config" / "models.yaml").write_text(json.dumps({"models": {"seen": entry}}))
        runs = {"tiny": {"datasets": ["tiny"], "model": "seen", "methods": ["page_rag"], "place_ocr": "none"}}
        project.configure({**CONFIG, "adapt": {"ocr": "none"}, "shard_pages": 100, "runs": runs})
        project.run()
        sent = json.dumps(server.requests)
    assert "1000 being its whole width and height" in sent, "the grid is told in the prompt"
    return project


@pytest.fixture(scope="module")
def report(project):
    return project.results / "report"


def reply(quote: str, box: list[int], answer: str) -> str:
    quotes = [{"page": 1, "quote": quote, "bbox": box}]
    return json.dumps({"explanation": "It says so.", "quotes": quotes, "answer": answer, "confidence": 0.9})


def support(project: Project, question_id: str) -> dict:
    lines = (project.results / "tiny" / "predictions" / "page_rag.jsonl").read_text().splitlines()
    (row,) = [row for row in map(json.loads, lines) if row["question_id"] == question_id]
    (piece,) = row["support"]
    return piece


def off_by(page, number: int, wanted: list[float]) -> tuple[float, str]:
    """How many pixels the box on a page's picture is from one in 0..1000, and the classes that it is drawn with."""
    picture = page.locator(f"#page-{number} img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    frame, box = picture.bounding_box(), page.locator(f"#page-{number} .box").first
    found = box.bounding_box()
    left, top = found["x"] - frame["x"], found["y"] - frame["y"]
    edges = (left, top, left + found["width"], top + found["height"])
    sizes = (frame["width"], frame["height"]) * 2
    distances = [abs(edge - at * size / 1000) for edge, at, size in zip(edges, wanted, sizes, strict=True)]
    return max(distances), str(box.get_attribute("class"))


@pytest.mark.parametrize("width", [1280, 400])
def test_a_scanned_page_has_the_models_own_box_marked_unverified(watch, project, width):

    piece = support(project, "scan-1")
    assert (piece["unverified"], piece["quote_verified"]) == ("the page has no text", False)
    page = watch(viewport={"width": width, "height": 900}).open("index.html")
    page.get_by_role("link", name="What did the mill earn?").click()
    distance, classes = off_by(page, 1, SCANNED)
    assert distance <= 2
    assert "unverified" in classes
    assert page.get_by_text("unverified: the page has no text").count() == 1


def test_on_a_written_page_the_words_decide_where_the_box_stands(watch, project):
    piece = support(project, "alpha-1")
    assert piece["quote_verified"] and piece["unverified"] is None
    (region,) = DocTree.load(project.data / "alpha" / "doctree.mm.json").node(piece["node_id"]).regions
    page = watch().open("index.html")
    page.get_by_role("link", name="How wide was the river?").click()
    distance, classes = off_by(page, 1, [edge * 1000 for edge in region.bbox])
    assert distance <= 2 and "unverified" not in classes
