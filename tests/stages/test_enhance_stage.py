from __future__ import annotations

from pathlib import Path

import pytest
from helpers.content_lists import Pages

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import EnhanceSettings
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.stages.enhance import EnhanceStage


def folder(tmp_path: Path) -> DocFolder:
    return DocFolder("demo", "doc1", tmp_path / "data" / "demo" / "doc1", tmp_path / "indexes" / "demo" / "doc1")


def document() -> ContentList:
    pages = Pages()
    for number in range(1, 6):
        pages.add("Operating Handbook", size=8, bbox=(0.1, 0.03, 0.4, 0.045))
        pages.heading(f"{number} Step {number * 7}")
        pages.body(number)
        pages.image()
        pages.add(f"Figure {number}: Level over time.", size=9)
        if number < 5:
            pages.page()
    return pages.adapted()


def test_it_writes_the_enhanced_list_and_counts_what_it_found(tmp_path: Path) -> None:
    # contract: D1, D2
    stage, doc = EnhanceStage(), folder(tmp_path)
    document().save(stage.inputs(doc, EnhanceSettings())[0])
    result = stage.run(doc, EnhanceSettings())
    assert [path.name for path in result.outputs] == ["content_list.enhanced.json"]
    assert result.status == "ok"
    assert result.counts == {
        "pages": 5, "items": 20, "headings": 5, "figures": 5, "tables": 0, "captions": 5, "dropped": 5, "merged": 0,
        "furniture": 5,
    }  # fmt: skip
    enhanced = ContentList.load(result.outputs[0])
    assert enhanced.stage == "enhanced"
    first = result.outputs[0].read_bytes()
    stage.run(doc, EnhanceSettings())
    assert result.outputs[0].read_bytes() == first


def test_settings_switch_steps_off(tmp_path: Path) -> None:
    stage, doc = EnhanceStage(), folder(tmp_path)
    document().save(stage.inputs(doc, EnhanceSettings())[0])
    assert stage.run(doc, EnhanceSettings(remove_furniture=False)).counts["furniture"] == 0


def test_missing_broken_and_wrong_inputs_are_rows(tmp_path: Path) -> None:
    stage, doc = EnhanceStage(), folder(tmp_path)
    with pytest.raises(StageFailure) as missing:
        stage.run(doc, EnhanceSettings())
    assert missing.value.reason == "missing_input"
    path = stage.inputs(doc, EnhanceSettings())[0]
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(StageFailure) as broken:
        stage.run(doc, EnhanceSettings())
    assert (broken.value.reason, str(path) in broken.value.message) == ("bad_input", True)
    document().model_copy(update={"stage": "enhanced"}).save(path)
    with pytest.raises(StageFailure, match="expected 'adapted'"):
        stage.run(doc, EnhanceSettings())
