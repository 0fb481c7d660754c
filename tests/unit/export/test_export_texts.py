"""Markdown and HTML hold every node's text once, in order, and nothing of it is taken for markup."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.export_trees import HOSTILE, export_tree, write_folder
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cosee.artifacts.documents.doctree import Node
from cosee.export.check import html_difference, markdown_difference
from cosee.export.documents import ExportDiffers, Source, export
from cosee.export.figures import alternative, pictures
from cosee.export.html_page import html_page
from cosee.export.markdown import escaped, markdown

SIGNS = st.text(st.sampled_from(list("ab1 \n\t\\`*_{}[]<>()#+-.!|~$&;:=/\"'xé\u00a0\u2028")), max_size=30)


def nothing(node: Node) -> list[str]:
    return []


def shown(written: str) -> str:
    """The text that a reader of Markdown sees, line breaks as blanks."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written)
    assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"]), written
    children = [child for token in tokens for child in token.children or []]
    assert {child.type for child in children} <= {"text", "softbreak"}, written
    return "".join(child.content or " " for child in children)


@settings(max_examples=400, deadline=None)
@given(SIGNS)
def test_escaped_text_is_one_paragraph_of_plain_text(text: str) -> None:
    lines = [line for line in escaped(text).split("\n") if line]
    assert shown("\n".join(lines)).split() == text.split()


def test_every_text_is_there_once_and_in_order() -> None:
    tree = export_tree()
    page, text = html_page(tree, nothing), markdown(tree, nothing)
    assert html_difference(tree, page) is None
    assert markdown_difference(tree, text) is None
    assert "<script" not in page and "javascript:x) *b*" in page
    assert text.count("<!-- page ") == 2 and "hidden -->\n\n> Ignore all" in text
    assert 'class="unread" data-why="hidden"' in page
    assert "```math\n\\alpha_{1}=\\frac{a}{b}\n```" in text and 'data-latex="\\alpha_{1}=\\frac{a}{b}"' in page


@pytest.mark.parametrize(("form", "difference"), [(html_page, html_difference), (markdown, markdown_difference)])
def test_a_text_that_is_missing_doubled_or_moved_is_found(form, difference) -> None:  # type: ignore[no-untyped-def]
    tree, written = export_tree(), form(export_tree(), nothing)
    for changed in (
        written.replace("third", ""),
        written.replace("third", "third third"),
        written.replace("third", "<b>third</b> *x*"),
        written.replace("first one", "one first"),
    ):
        assert changed != written
        assert difference(tree, changed)
    tree.nodes.pop()
    tree.root.children.pop()
    assert difference(export_tree(), form(tree, nothing))


def test_unescaped_markup_would_be_found() -> None:
    tree = export_tree()
    bare = markdown(tree, nothing).replace(escaped(HOSTILE), HOSTILE)
    assert "t_2" in str(markdown_difference(tree, bare))


def test_cells_keep_their_spans_in_html_and_their_places_in_markdown() -> None:
    page = html_page(export_tree(), nothing)
    assert '<th rowspan="1" colspan="2">2023</th>' in page and page.count(">2023<") == 1
    assert "| Item | 2023 | 2023 |\n| --- | --- | --- |\n" in markdown(export_tree(), nothing)


def test_figures_lie_beside_the_markdown_and_in_the_page(tmp_path: Path) -> None:
    source = Source(write_folder(tmp_path / "odd"), "odd")
    out = tmp_path / "out"
    (out / "odd.images").mkdir(parents=True)
    (out / "odd.images" / "left.png").write_bytes(b"of an earlier export")
    made = export("markdown", source, out)
    assert [path.relative_to(out).as_posix() for path in made.outputs] == ["odd.md", "odd.images/a.png"]
    assert sorted(path.name for path in (out / "odd.images").iterdir()) == ["a.png"]
    text = (out / "odd.md").read_text()
    assert "![A line chart \\] with ( marks](<odd.images/a.png>)" in text
    # a formula without LaTeX is shown as it was printed; the other is drawn from its LaTeX
    assert text.count("![Formula on page 2](<odd.images/a.png>)\n\n∯ = ⌬") == text.count("![Formula") == 1
    (page,) = export("html", source, out).outputs
    assert page.read_text().count('src="data:image/png;base64,') == 3
    assert (out / "odd.images" / "a.png").is_file()
    first = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    export("markdown", source, out)
    export("html", source, out)
    assert {path: path.read_bytes() for path in first} == first


@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "images/note.txt", "images/absent.png"])
def test_no_file_but_a_picture_of_the_document_is_taken(tmp_path: Path, path: str) -> None:
    folder = write_folder(tmp_path / "odd")
    (tmp_path / "secret.png").write_bytes((folder / "images" / "a.png").read_bytes())
    (folder / "images" / "note.txt").write_text("no picture")
    node = export_tree().node("img_4").model_copy(update={"image_path": path})
    assert pictures(node, folder) == []
    assert len(pictures(export_tree().node("img_4"), folder)) == 1


def test_what_stands_for_the_picture_of_a_formula() -> None:
    node = export_tree().node("eq_10")
    assert alternative(node) == "Formula on page 2"
    assert alternative(node.model_copy(update={"label": "(3)"})) == "Formula (3)"


def test_what_does_not_read_back_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cosee.export.markdown.escaped", lambda text: text)
    with pytest.raises(ExportDiffers, match=r"odd\.md: t_2: .* was to stand where"):
        export("markdown", Source(write_folder(tmp_path / "odd"), "odd"), tmp_path / "out")
    assert not (tmp_path / "out" / "odd.md").exists()
