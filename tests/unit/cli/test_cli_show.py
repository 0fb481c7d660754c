"""``cosee show``: every file that the pipeline writes is readable, and anything else is a clear error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.project import Project

from cosee.artifacts.documents.doctree import DocTree, Doubt
from cosee.cli import main

ARTIFACT_SUFFIXES = {".json", ".jsonl", ".ndjson", ".tsv", ".npy", ".faiss", ".parquet"}
Show = Callable[..., tuple[int, str, str]]


@pytest.fixture
def show(ran: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Show:
    monkeypatch.chdir(ran.folder)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = main(["show", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_every_file_of_a_run_is_readable(show: Show, ran: Project) -> None:
    roots = [ran.folder / name for name in ("data", "indexes", "results")]
    files = [path for root in roots for path in root.rglob("*") if path.suffix in ARTIFACT_SUFFIXES]
    assert len({path.name for path in files}) > 40
    for path in files:
        status, out, err = show(path)
        assert (status, err) == (0, ""), path
        assert out.strip(), path


def test_the_tree_is_an_indented_outline(show: Show) -> None:
    _, out, _ = show("data/tiny/alpha/doctree.mm.json")
    assert out.startswith("alpha: Alpha River Survey (2 pages)")
    titles = [line for line in out.splitlines() if line.rstrip().endswith(")") and "[sec_" in line]
    assert [line.strip().split("  [")[0] for line in titles] == ["Alpha River Survey", "Methods", "Outlook"]


def test_a_page_and_a_node_of_a_tree_are_shown_in_full(show: Show) -> None:
    _, out, _ = show("data/tiny/alpha/doctree.mm.json", "--page", "2")
    assert "The work goes on next year" in out
    assert "42 metres" not in out
    node_id = next(word for word in out.split() if word.startswith("t_"))
    _, out, _ = show("data/tiny/alpha/doctree.mm.json", "--id", node_id)
    assert out.startswith(f"{node_id} paragraph (page 2")


def test_answers_traces_ledgers_and_metrics_say_what_matters(show: Show, ran: Project) -> None:
    _, out, _ = show("results/tiny/predictions/cosee.jsonl")
    assert "alpha-1" in out
    assert "3 rows (ok=3)" in out
    _, out, _ = show("results/tiny/predictions/cosee.jsonl", "--id", "alpha-1")
    assert "question_id: alpha-1" in out
    assert "beta-1" not in out
    trace = next((ran.results / "tiny" / "traces" / "cosee").rglob("alpha-1.ndjson"))
    _, out, _ = show(trace)
    lines = out.splitlines()
    assert lines[1].startswith("cosee: ") and "step 1" in lines
    assert any(line.startswith("answer: ") for line in lines) and lines[-1].startswith("cost: ")
    _, out, _ = show("data/tiny/.ledger/adapt.0000.jsonl")
    assert "pages=2" in out
    _, out, _ = show("results/metrics_summary.json")
    assert "run tiny on tiny" in out
    for method in ("constant", "cosee"):
        assert any(line.startswith(method) for line in out.splitlines())


def test_predictions_show_what_was_asked(show: Show, ran: Project) -> None:
    path = "results/tiny/predictions/cosee.jsonl"
    assert "How wide was the river?" in show(path)[1]
    assert "question: How wide was the river?" in show(path, "--id", "alpha-1")[1]


def test_boxes_are_drawn_on_the_page(show: Show, tmp_path: Path) -> None:
    from PIL import Image

    plain, marked = tmp_path / "layout.png", tmp_path / "tree.png"
    status, out, _ = show("data/tiny/alpha/doctree.mm.json", "--page", "1", "--boxes", marked)
    assert status == 0
    assert "page 1 with 4 boxes" in out
    assert show("data/tiny/alpha/layout.json", "--page", "1", "--boxes", plain)[0] == 0
    with Image.open(marked) as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1_000_000)}
        assert picture.width / picture.height < 595 / 842  # the legend is below the page
    assert (214, 39, 40) in colours


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.xyz", b"hello", "not an artifact; readable are JSON"),
        ("a.json", b"{", "a.json: not valid JSON"),
        ("a.json", b"3", "holds a bare int"),
        ("a.json", b'{"schema": "cosee.doctree", "version": 99}', "version 99 is not version 1"),
        ("a.jsonl", b"[1]\n", "not JSON objects"),
        ("a.jsonl", b'{"a": 1}\n{"a"\n', "line 2: not valid JSON"),
        ("a.npy", b"\x80\x04pickle", "not a readable .npy file"),
        ("a.parquet", b"PAR1", "not a readable Parquet file"),
        ("a.faiss", b"xxxx", "not a readable FAISS index"),
        ("documents.tsv", b"a\tb\n", "line 1: expected the columns"),
    ],
)
def test_what_is_no_artifact_is_one_line_and_status_2(
    show: Show, tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    status, _, err = show(path)
    assert status == 2
    assert err.startswith("cosee: ")
    assert complaint in err
    assert err.count("\n") == 1


def test_an_object_array_is_not_unpickled(show: Show, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    status, _, err = show(tmp_path / "a.npy")
    assert status == 2
    assert "allow_pickle=False" in err


def test_a_picture_names_itself_and_a_node_is_cut_out(show: Show, ran: Project) -> None:
    from PIL import Image

    tree = "data/tiny/alpha/doctree.mm.json"
    status, out, _ = show(tree, "--page", "1", "--boxes")
    assert status == 0 and out.startswith("alpha.page1.png: page 1 with 4 boxes")
    status, out, _ = show(tree, "--node", "sec_0", "--boxes", "--limit", "1")
    assert status == 0 and "alpha.sec_0.png: 1 regions of sec_0" in out
    with Image.open(ran.folder / "alpha.sec_0.png") as crop:
        assert crop.width < 1239 and crop.height < 200
    for name in ("alpha.page1.png", "alpha.sec_0.png"):
        (ran.folder / name).unlink()


def test_the_quality_report_of_a_tree_is_shown(show: Show, ran: Project, tmp_path: Path) -> None:
    _, out, _ = show("data/tiny/alpha/doctree.mm.json")
    assert "pages with a node: 2 of 2" in out
    assert "headings: 3, " in out and "doubt" not in out
    tree = DocTree.load(ran.folder / "data/tiny/alpha/doctree.mm.json")
    tree.quality.doubts = [Doubt(reason="low_text_coverage", message="the tree holds 10% of the text, below 50%")]
    tree.quality.empty_page_idx = [1]
    tree.save(tmp_path / "doctree.mm.json")
    _, out, _ = show(tmp_path / "doctree.mm.json")
    assert "doubt: the tree holds 10% of the text, below 50% (low_text_coverage)" in out
    assert "only dropped content on p. 2" in out


def test_wrong_choices_are_refused(show: Show) -> None:
    tree = "data/tiny/alpha/doctree.mm.json"
    assert show(tree, "--page", "3")[::2] == (2, "cosee: alpha: no page 3; pages are 1 to 2\n")
    assert show(tree, "--id", "t_99")[::2] == (2, "cosee: alpha: no node 't_99' in the tree\n")
    assert "no node 'sec_9' in the tree; like it are sec_" in show(tree, "--id", "sec_9")[2]
    assert show(tree, "--boxes", "x.png")[0] == 2
    assert show(tree, "--page", "1", "--node", "t_1", "--boxes")[0] == 2
    assert "no item 'zz' in the list" in show("data/tiny/alpha/content_list.adapted.json", "--id", "zz")[2]
    assert "is a folder; name a file in it, e.g. data/tiny/documents.tsv" in show("data/tiny")[2]


def test_text_of_a_document_is_no_markup_and_no_terminal_control(show: Show, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question_id": "q", "doc_id": "d", "question": "[red]a\\u001b[2J\\u202eb[/red]"}\n')
    _, out, _ = show(path)
    assert "[red]a" in out
    assert "\x1b[2J" not in out
    assert "\u202e" not in out
