"""The whole way of a page that is only a picture, on a real socket: picture, prompt, reply with a box, evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import yaml
from benchmarks.picture_pages import RUN, make
from benchmarks.quoted_words import iou, overlap_of, places_of, words_of
from benchmarks.real_model import answer, measure, wanted
from benchmarks.seeing_server import Seeing, filled, serving
from helpers.model_server import model_server
from helpers.project import TOPICS, write_document, write_questions
from PIL import Image

from cosee.agents.cosee.schemas import ActionReply
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.prediction import Support
from cosee.imaging.render import render_part
from cosee.models.blocks import PageImage
from cosee.models.reply_schema import asked_schema
from cosee.models.vision.engine import OcrEngine
from cosee.models.vision.ocr import find_engine
from cosee.pipeline.config import read_config
from cosee.runs.place_reading import PlaceReader

NAMES = ("alpha", "beta")


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    found = find_engine("auto", "auto", 60.0)
    if found is None:
        pytest.skip("needs tesseract or rapidocr")
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with text layers."""
    data = tmp_path_factory.mktemp("written") / "tiny"
    for name in NAMES:
        write_document(data / name / "full.pdf", *TOPICS[name][:2])
    write_questions(data, {name: TOPICS[name] for name in NAMES})
    return data


@pytest.fixture(scope="module")
def seeing(engine: OcrEngine) -> Iterator[tuple[Seeing, str]]:
    seeing = Seeing(engine)
    with serving(seeing) as url:
        yield seeing, url


@pytest.fixture(scope="module")
def pictured(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same documents as pictures of their pages."""
    return made(written, tmp_path_factory.mktemp("pictured"))


def made(written: Path, work: Path) -> Path:
    folders = make(written, work, 200, "http://127.0.0.1:1/v1")
    assert [DocTree.load(folder / "doctree.mm.json").page_text(0) for folder in folders] == ["", ""], "no word is read"
    return work


def trial(
    pictured: Path, truth: Path, work: Path, url: str, method: str = "oracle_pages", **entry: Any
) -> tuple[Any, dict[str, Any]]:
    """Rows of every question about documents that are pictures, and their figures."""
    config = yaml.safe_load((pictured / "config.yaml").read_text())
    config["runs"][RUN]["methods"] = [method]
    models = yaml.safe_load((pictured / "models.yaml").read_text())
    models["models"]["seeing"] |= {"base_url": f"{url}/v1", **entry}
    (work / "config.yaml").write_text(yaml.safe_dump(config))
    (work / "models.yaml").write_text(yaml.safe_dump(models))
    read = read_config(work / "config.yaml")
    rows = answer(read, RUN, method, wanted(read, RUN, {})[method], work / "models.yaml", work / "trial")
    return rows, measure(rows, truth)


@pytest.mark.parametrize("method", ["oracle_pages", "cosee"])
def test_what_only_a_picture_shows_is_evidence_whose_box_lies_over_the_words(
    pictured: Path, written: Path, seeing: tuple[Seeing, str], tmp_path: Path, method: str
) -> None:
    rows, figures = trial(pictured, written, tmp_path, seeing[1], method)
    assert [row.status for _, row, _ in rows] == ["ok", "ok"]
    for (_, row, _), name in zip(rows, NAMES, strict=True):
        (piece, *_) = row.support
        assert TOPICS[name][1] in piece.quote and TOPICS[name][3] in row.answer
        assert (piece.page, piece.quote_verified, piece.unverified) == (1, True, None), "recognition of the box agrees"
        overlap = overlap_of(piece, written / name / "full.pdf")
        assert overlap is not None and overlap > 0.5
    assert (figures["evidence"], figures["boxed_share"], figures["overlapping"]) == (1.0, 1.0, 1.0)
    assert figures["stray_share"] == 0.0
    assert "1000 being its whole width and height" in seeing[0].prompts[-1]


def test_a_question_whose_id_is_no_file_name_has_its_trace(written: Path, tmp_path: Path) -> None:
    data = tmp_path / "named"
    write_document(data / "alpha" / "full.pdf", *TOPICS["alpha"][:2])
    write_questions(data, {"alpha": TOPICS["alpha"]})
    sheet = data / "qa" / "questions.jsonl"
    (row,) = map(json.loads, sheet.read_text().splitlines())
    sheet.write_text(json.dumps({**row, "question_id": "a#1/2"}) + "\n")
    make(data, tmp_path / "pictured", 72, "http://127.0.0.1:1/v1")
    rows, _ = trial(tmp_path / "pictured", data, tmp_path, "http://127.0.0.1:1", "constant")
    assert [(row.question_id, bool(trace)) for _, row, trace in rows] == [("a#1/2", True)]


def test_a_grid_that_is_not_the_models_shows_at_once(
    pictured: Path, written: Path, seeing: tuple[Seeing, str], tmp_path: Path
) -> None:
    _, figures = trial(pictured, written, tmp_path, seeing[1], box_grid=1500)
    assert figures["boxed_share"] == figures["stray_share"] == 1.0
    # What recognition reads on the page is cited where it stands, whatever the grid.
    assert figures["overlapping"] == figures["verified_share"] == 1.0


def test_pictures_that_are_too_small_show_at_once(
    pictured: Path, written: Path, seeing: tuple[Seeing, str], tmp_path: Path
) -> None:
    _, figures = trial(pictured, written, tmp_path, seeing[1], max_pixels=70_000)
    assert figures["answered"] == 0


def test_a_grid_in_pixels_is_that_of_the_picture_as_sent(
    pictured: Path, written: Path, seeing: tuple[Seeing, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = seeing[0].lines

    def in_pixels(part: Any) -> Any:
        size, lines = answered(part)
        sides = [int(side) for side in size.split(" x ")]
        return size, [
            replace(line, box=tuple(round(edge * side / 1000) for edge, side in zip(line.box, sides * 2, strict=True)))
            for line in lines
        ]

    monkeypatch.setattr(seeing[0], "lines", in_pixels)
    _, figures = trial(pictured, written, tmp_path, seeing[1], box_grid="pixels")
    assert (figures["boxed_share"], figures["overlapping"]) == (1.0, 1.0)


def test_a_turned_page_shows_at_once(written: Path, seeing: tuple[Seeing, str], tmp_path: Path) -> None:
    turned = tmp_path / "turned"
    for name in NAMES:
        (turned / name).mkdir(parents=True)
        with pymupdf.open(written / name / "full.pdf") as document:
            for page in document:
                page.set_rotation(180)
            document.save(turned / name / "full.pdf")
    (turned / "qa").mkdir()
    (turned / "qa" / "questions.jsonl").write_bytes((written / "qa" / "questions.jsonl").read_bytes())
    _, figures = trial(made(turned, tmp_path / "work"), turned, tmp_path, seeing[1])
    assert figures["answered"] == 0


def test_pictures_go_to_the_model_behind_as_words_with_boxes(engine: OcrEngine, tmp_path: Path) -> None:
    picture = Image.new("RGB", (800, 400), "white")
    pdf = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=200)
        page.insert_text((40, 100), "The mill earned 310 crowns.", fontsize=14)
        picture = page.get_pixmap(dpi=144).pil_image()
        document.save(pdf)
    media, data = PageImage(1, picture).encoded(10_000_000)
    import base64

    url = f"data:{media};base64,{base64.b64encode(data).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Question: What?"}]
    with model_server() as behind:
        behind.replies = ["310 crowns"]
        seeing = Seeing(engine, f"{behind.url}/v1")
        reply = seeing.answer({"model": "m", "messages": [{"role": "user", "content": parts}]})
        ((sent,),) = ([each["messages"] for each in behind.requests],)
    assert reply["choices"][0]["message"]["content"] == "310 crowns"
    words, asked = (part["text"] for part in sent[0]["content"])
    assert asked == "Question: What?" and "The mill earned 310 crowns." in words and "800 x 400 pixels" in words
    said = json.loads("[" + words.splitlines()[-1].rpartition("[")[2])
    (place,) = places_of(words_of(pdf, 1), "The mill earned 310 crowns.")
    assert iou(tuple(edge / 1000 for edge in said), place) > 0.4
    assert seeing.prompts == [f"{words}\n{asked}"]
    elsewhere = {"type": "image_url", "image_url": {"url": "http://example.org/a.png"}}
    with pytest.raises(ValueError, match="data URLs alone"):
        seeing.answer({"messages": [{"role": "user", "content": [elsewhere]}]})


def test_a_place_is_read_with_a_little_white_and_held_against_the_quote(
    engine: OcrEngine, written: Path, tmp_path
) -> None:
    pdf = written / "beta" / "full.pdf"
    (place,) = places_of(words_of(pdf, 1), TOPICS["beta"][1])
    tree = DocTree.model_validate(
        {"doc_id": "beta", "pages": [{"page_idx": 0, "width": 595, "height": 842}], "nodes": [],
         "quality": {"pages": 1, "pages_with_nodes": 0, "text_characters": 0, "text_coverage": 1, "sections": 0,
                     "max_depth": 0, "figures": 0, "figures_without_caption": 0, "tables": 0,
                     "tables_without_caption": 0, "orphans": 0}}
    )  # fmt: skip
    asked = []

    def picture(page: int) -> PageImage:
        asked.append(page)
        return PageImage(page, pdf, rendered=lambda box: render_part(pdf, page, box, tmp_path))

    reader = PlaceReader("auto", tree.pages, picture)
    fact = TOPICS["beta"][1]
    assert reader(1, place, fact) == place
    assert reader(1, place, fact.replace("310", "810")) is False, "a digit is never a slip"
    for wrong in ((0.1, 0.8, 0.9, 0.85), None):
        found = reader(1, wrong, fact)
        assert found and iou(found, place) > 0.5, "the words are found where they stand"
    assert reader(9, place, fact) is None and PlaceReader("none", tree.pages, picture)(1, place, fact) is None
    reader(1, place, fact)
    assert len(asked) == 5, "a place is read once, with each margin, and the page once"


def test_replies_fit_what_is_asked_for() -> None:
    said = {"words": "it says so", "quote": "so", "page": 3, "bbox": [1, 2, 3, 4], "answer": "so", "confidence": 0.9,
            "action": "HYPOTHESIZE"}  # fmt: skip
    value = ActionReply.model_validate(filled(asked_schema(ActionReply, 1000.0), said))
    assert value.action == "HYPOTHESIZE" and value.view is not None and value.view.bbox == [1, 2, 3, 4]


def test_overlap_is_that_of_the_best_place_of_the_words(written: Path, pictured: Path) -> None:
    pdf = written / "alpha" / "full.pdf"
    (place,) = places_of(words_of(pdf, 1), TOPICS["alpha"][1])
    assert overlap_of(Support(page=1, bbox=place, quote=TOPICS["alpha"][1]), pdf) == pytest.approx(1.0)
    below = (place[0], place[1] + 0.3, place[2], place[3] + 0.3)
    assert overlap_of(Support(page=1, bbox=below, quote=TOPICS["alpha"][1]), pdf) == 0.0
    assert overlap_of(Support(page=1, bbox=place, quote="words that stand nowhere"), pdf) == 0.0
    assert overlap_of(Support(page=1, quote="river"), pdf) is None
    scan = pictured / "data" / RUN / "alpha" / "full.pdf"
    assert overlap_of(Support(page=1, bbox=place, quote="river"), scan) is None, "a scan has no truth"
