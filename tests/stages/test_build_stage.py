from __future__ import annotations

from pathlib import Path

import pytest
from helpers.content_lists import Pages

from cosee.artifacts.documents.content import DroppedItem
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.parsing import BuildSettings
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.stages.build import BuildStage
from cosee.structure.enhance import enhance


def folder(tmp_path: Path) -> DocFolder:
    return DocFolder("demo", "doc1", tmp_path / "data" / "demo" / "doc1", tmp_path / "indexes" / "demo" / "doc1")


def document() -> Pages:
    pages = Pages()
    pages.heading("1 Scope")
    pages.body(1)
    pages.heading("1.1 Terms", 12)
    pages.table([["Site", "Mean"], ["North", "4.1"]])
    return pages


def test_it_writes_the_tree_and_counts_its_nodes(tmp_path: Path) -> None:
    # contract: D1, D3
    stage, doc = BuildStage(), folder(tmp_path)
    enhance(document().adapted()).save(stage.inputs(doc, BuildSettings())[0])
    result = stage.run(doc, BuildSettings())
    assert [path.name for path in result.outputs] == ["doctree.mm.json"]
    assert (result.status, result.reason) == ("ok", None)
    assert result.counts == {
        "pages": 1, "items": 4, "nodes": 5, "dropped": 0, "sections": 2, "max_depth": 2, "figures": 0, "tables": 1,
        "problems": 0, "doubts": 0,
    }  # fmt: skip
    assert [node.id for node in DocTree.load(result.outputs[0]).nodes] == ["doc", "sec_0", "t_1", "sec_2", "tab_3"]


def test_little_text_in_the_tree_makes_the_document_partial(tmp_path: Path) -> None:
    stage, doc = BuildStage(), folder(tmp_path)
    content = enhance(document().adapted())
    content.dropped.append(DroppedItem(id="t_99", reason="garbage_text", page_idx=0, text="x" * 9000))
    content.save(stage.inputs(doc, BuildSettings())[0])
    result = stage.run(doc, BuildSettings())
    doubts = DocTree.load(result.outputs[0]).quality.doubts
    assert [doubt.reason for doubt in doubts] == ["low_text_coverage"]
    assert (result.status, result.reason) == ("partial", "low_text_coverage")
    assert "below 50%" in (result.message or "")


def test_an_empty_document_is_partial_and_still_has_a_tree(tmp_path: Path) -> None:
    # contract: D24
    stage, doc = BuildStage(), folder(tmp_path)
    enhance(Pages().adapted()).save(stage.inputs(doc, BuildSettings())[0])
    result = stage.run(doc, BuildSettings())
    assert (result.status, result.reason) == ("partial", "no_content")
    assert len(DocTree.load(result.outputs[0]).nodes) == 1


def test_an_input_of_the_wrong_stage_is_a_row(tmp_path: Path) -> None:
    stage, doc = BuildStage(), folder(tmp_path)
    with pytest.raises(StageFailure) as missing:
        stage.run(doc, BuildSettings())
    assert missing.value.reason == "missing_input"
    document().adapted().save(stage.inputs(doc, BuildSettings())[0])
    with pytest.raises(StageFailure, match="expected 'enhanced'"):
        stage.run(doc, BuildSettings())
