"""Boxes drawn by hand on the demo's pages, against the boxes that evidence gets: a quote's, a figure's, a scan's.

``tests/data/drawn_boxes.jsonl`` holds what was drawn on renders with a ruler: page (from 1), box in PDF points from the
top-left corner, and words that stand in it or the label of the figure that it is. Each is the smallest block that shows
its words: a heading, a paragraph, a whole table, a list or an item of one. With the boxes of the demo's questions
(``data/demo/drawn_boxes.py``) they are more than 150.
"""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cosee.agents.evidence import Evidence, ground
from cosee.artifacts.base import BBox
from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.geometry import area_f1, center_inside
from cosee.imaging.page_workers import PageWorkers
from cosee.pipeline.stage import DocFolder
from cosee.runs.place_reading import PlaceReader
from cosee.runs.shown_pages import page_image
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage

DEMO = Path(__file__).parents[2] / "data" / "demo"
DRAWN = [json.loads(line) for line in (Path(__file__).parents[1] / "data/drawn_boxes.jsonl").read_text().splitlines()]
SCANNED = "letter"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, DocTree]]:
    """Each document's PDF and tree; the scan has no text."""
    root, found = tmp_path_factory.mktemp("drawn"), {}
    for name in sorted({row["doc"] for row in DRAWN}):
        folder = DocFolder("demo", name, root / name, root / "indexes" / name, None)
        folder.data.mkdir()
        shutil.copy(DEMO / name / "full.pdf", folder.data / "full.pdf")
        AdaptStage().run(folder, AdaptSettings(ocr="none"))
        EnhanceStage().run(folder, EnhanceSettings())
        BuildStage().run(folder, BuildSettings())
        found[name] = folder.data / "full.pdf", DocTree.load(folder.data / "doctree.mm.json")
    return found


def share(row: dict[str, Any], tree: DocTree) -> BBox:
    page = tree.pages[row["page"] - 1]
    left, top, right, bottom = row["box"]
    return left / page.width, top / page.height, right / page.width, bottom / page.height


def evidence(row: dict[str, Any], tree: DocTree) -> Evidence:
    if "figure" in row:
        (node_id,) = [each for each in tree.labels[row["figure"]] if tree.node(each).type == "image"]
        return Evidence(node_id, row["page"])
    return Evidence(None, row["page"], row["words"])


def test_there_are_150_of_them() -> None:
    asked = [box for question in load_questions(DEMO / "qa" / "questions.jsonl") for box in question.evidence_boxes]
    assert len(DRAWN) + len(asked) >= 150
    assert len({(row["doc"], row["page"], *row["box"]) for row in DRAWN}) == len(DRAWN)


def test_the_box_of_evidence_is_the_block_that_was_drawn(trees: dict[str, tuple[Path, DocTree]]) -> None:
    scores: dict[tuple[str, int, str], float] = {}
    for row in DRAWN:
        tree = trees[row["doc"]][1]
        if row["doc"] == SCANNED:
            continue
        piece = ground(tree, evidence(row, tree), [row["page"]])
        found = [] if piece is None or piece.bbox is None else [(piece.page, piece.bbox)]
        named = row["doc"], row["page"], row.get("words") or row["figure"]
        scores[named] = area_f1(found, [(row["page"], share(row, tree))])
    assert len(scores) >= 100
    assert {named: score for named, score in scores.items() if score < 0.75} == {}
    assert sum(scores.values()) / len(scores) > 0.9


def test_recognition_reads_the_words_in_the_boxes_that_were_drawn_on_a_scan(
    trees: dict[str, tuple[Path, DocTree]], tmp_path: Path
) -> None:
    pdf, tree = trees[SCANNED]
    reader = PlaceReader("auto", tree.pages, partial(_picture, pdf, tree, tmp_path, PageWorkers()))
    rows = [row for row in DRAWN if row["doc"] == SCANNED]
    first = rows[0]
    if reader(first["page"], share(first, tree), first["words"]) is None:
        pytest.skip("needs tesseract or rapidocr")
    verified = placed = 0
    for row, other in zip(rows, [*rows[1:], first], strict=True):
        place = Evidence(None, row["page"], row["words"], share(row, tree))
        piece = ground(tree, place, [1, 2], reader)
        assert piece is not None and piece.bbox == place.bbox, "a place is kept, verified or not"
        verified += piece.quote_verified
        # The box of other words gives way to the one where recognition reads these, where it does.
        moved = ground(tree, Evidence(None, row["page"], row["words"], share(other, tree)), [1, 2], reader)
        assert moved is not None and moved.quote_verified == (moved.unverified is None)
        placed += moved.quote_verified and center_inside(moved.bbox, place.bbox, 0.005)
        absent = ground(tree, Evidence(None, row["page"], "nothing of the sort", place.bbox), [1, 2], reader)
        assert absent is not None and absent.bbox == place.bbox and not absent.quote_verified and absent.unverified
    assert verified >= 0.8 * len(rows) and placed >= 0.6 * len(rows)


def _picture(pdf: Path, tree: DocTree, cache: Path, workers: PageWorkers, page: int) -> Any:
    return page_image(pdf, tree, page, cache, workers)
