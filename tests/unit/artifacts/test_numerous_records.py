"""Lists of many records: loaded one by one, and small."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentItem, ContentList, PageInfo
from cosee.artifacts.files import ArtifactError


def content() -> ContentList:
    items = [
        ContentItem(id=f"t_{n}", role="paragraph", text="soil", page_idx=0, bbox=(0.1, 0.1, 0.5, 0.2)) for n in range(4)
    ]
    page = PageInfo(page_idx=0, width=595, height=842)
    return ContentList(doc_id="doc", stage="adapted", source="pymupdf", pages=[page], items=items)


def test_a_faulty_record_is_named_by_its_place(tmp_path: Path) -> None:
    value = content().to_json()
    del value["items"][2]["role"]
    value["items"][3]["colour"] = "red"
    files.write_json(tmp_path / "list.json", value)
    with pytest.raises(ArtifactError, match=r"items\.2\.role: is missing; items\.3\.colour: unknown key"):
        ContentList.load(tmp_path / "list.json")


def test_items_forget_which_fields_were_given_and_keep_their_values(tmp_path: Path) -> None:
    content().save(tmp_path / "list.json")
    loaded = ContentList.load(tmp_path / "list.json")
    assert loaded == content()
    copied = loaded.items[0].model_copy(update={"flags": ["ocr"], "level": 2})
    assert (copied.flags, copied.level, loaded.items[0].flags) == (["ocr"], 2, [])
    assert not copied.model_fields_set and not loaded.items[0].model_fields_set
