"""Pages of the report are rendered in processes of their own, once, and a lost process is no lost page."""

import os
import signal
from pathlib import Path

import pytest
from helpers.project import write_document

from cosee.imaging.render import RenderError
from cosee.pipeline.paths import Paths
from cosee.report import pictures
from cosee.runs import page_pictures as report_pictures
from cosee.runs.page_pictures import PageRenderer, RendererDied


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    found = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")
    for doc_id in ("a", "b"):
        write_document(found.folder("d", doc_id).data / "full.pdf", f"Report {doc_id}", "The bridge is 42 metres long.")
    broken = found.folder("d", "broken").data / "full.pdf"
    broken.parent.mkdir()
    broken.write_bytes(b"no PDF at all")
    return found


def test_pages_are_rendered_and_what_cannot_be_gets_a_note(paths):
    wanted = [("d", "a", 1), ("d", "a", 9), ("d", "b", 1), ("d", "broken", 1), ("d", "absent", 1)]
    with PageRenderer(paths, workers=2) as renderer:
        found = renderer.render(wanted)
    assert list(found) == wanted
    assert [page for page, file in found.items() if file.picture] == [("d", "a", 1), ("d", "b", 1)]
    assert {file.note for file in found.values() if not file.picture} == {"This page could not be rendered."}
    assert pictures.load_picture(found["d", "a", 1].picture)[1] > 100


def test_what_is_rendered_is_not_rendered_again(paths, monkeypatch):
    with PageRenderer(paths) as renderer:
        first = renderer.render([("d", "a", 1)])

    asked = paths.results / "asked"

    def refuse(pdf, *_):
        with open(asked, "a") as handle:
            handle.write(pdf.parent.name)
        raise RenderError("rendered again")

    monkeypatch.setattr(report_pictures, "render_picture", refuse)
    with PageRenderer(paths) as renderer:
        assert renderer.render([("d", "a", 1), ("d", "b", 1)])["d", "a", 1] == first["d", "a", 1]
    assert asked.read_text() == "b"
    with PageRenderer(paths) as renderer:
        os.kill(renderer._process.pid, signal.SIGKILL)
        assert renderer.render([("d", "a", 1)]) == first


def test_a_renderer_that_is_killed_is_told(paths, monkeypatch):
    monkeypatch.setattr(report_pictures.PageRenderer, "_rendered", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    with PageRenderer(paths) as renderer, pytest.raises(RendererDied, match="run the same command again"):
        renderer.render([("d", "a", 1)])


def test_the_renderer_ends_with_its_context(paths):
    with PageRenderer(paths) as renderer:
        pass
    assert renderer._process.exitcode == 0
