import json
from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts import files
from cosee.pipeline.paths import Paths
from cosee.pipeline.shards import sync_dataset


def pdf(pages: int) -> bytes:
    document = pymupdf.open()
    for _ in range(pages):
        document.new_page()
    return document.tobytes()


@pytest.fixture
def paths(tmp_path, monkeypatch) -> Paths:
    monkeypatch.chdir(tmp_path)
    for doc_id, pages in (("a", 3), ("b", 4), ("c", 5)):
        files.write_bytes(Path(f"data/d/{doc_id}/full.pdf"), pdf(pages))
    questions = [{"question_id": f"{doc}-{n}", "doc_id": doc, "question": "?"} for doc in "abx" for n in (2, 1)]
    files.write_jsonl(Path("data/d/qa/questions.jsonl"), questions)
    return Paths()


def members(shards):
    return {shard: [row.doc_id for row in rows] for shard, rows in shards.items()}


def contents() -> dict[str, bytes]:
    folder = Path("data/d/.shards")
    return {path.name: path.read_bytes() for path in folder.rglob("*.json*") if path.name != "pdf_hashes.json"}


def test_shards_are_sized_by_pages_and_the_sheet_only_grows(paths):
    assert members(sync_dataset(paths, "d", shard_pages=8)) == {"0000": ["a", "b"], "0001": ["c"]}
    first = paths.sheet("d").read_text()
    assert [line.split("\t")[0::2] for line in first.splitlines()[1:]] == [
        ["a", "3", "present"], ["b", "4", "present"], ["c", "5", "present"]
    ]  # fmt: skip
    files.write_bytes(Path("data/d/0new/full.pdf"), pdf(2))
    before = contents()
    assert members(sync_dataset(paths, "d", shard_pages=8)) == {"0000": ["a", "b"], "0001": ["0new", "c"]}
    changed = {name for name, data in contents().items() if before.get(name) != data}
    assert changed == {"0001.rows.json", "0001.questions.json", "0new.jsonl"}
    assert paths.sheet("d").read_text().startswith(first)
    Path("data/d/b/full.pdf").unlink()
    assert members(sync_dataset(paths, "d", shard_pages=8)) == {"0000": ["a"], "0001": ["0new", "c"]}
    assert paths.sheet("d").read_text().splitlines()[-1].endswith("removed")
    files.write_bytes(Path("data/d/b/full.pdf"), pdf(1))
    assert "b" in [doc for docs in members(sync_dataset(paths, "d", shard_pages=8)).values() for doc in docs]


def test_one_edited_question_touches_one_shard(paths):
    sync_dataset(paths, "d", shard_pages=8)
    before = contents()
    path = paths.question_file("d")
    rows = files.read_jsonl(path)
    next(row for row in rows if row["question_id"] == "a-1")["question"] = "how many?"
    files.write_jsonl(path, rows)
    sync_dataset(paths, "d", shard_pages=8)
    after = contents()
    assert {name for name in after if before.get(name) != after[name]} == {"0000.questions.json", "a.jsonl"}
    assert [json.loads(line)["question_id"] for line in after["a.jsonl"].splitlines()] == ["a-1", "a-2"]


def test_a_content_list_of_mineru_wakes_its_shard(paths):
    sync_dataset(paths, "d", shard_pages=8)
    before = contents()
    files.write_text(Path("data/d/c/mineru/content_list.json"), "[]")
    sync_dataset(paths, "d", shard_pages=8)
    assert {name for name, data in contents().items() if before.get(name) != data} == {"0001.rows.json"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{not json", ["questions.jsonl, line 7", "not valid JSON"]),
        ('{"question_id": "z", "doc_id": "a"}', ["questions.jsonl, line 7", "question: is missing"]),
        ('{"question_id": "a-1", "doc_id": "a", "question": "?"}', ["'a-1' occurs twice"]),
    ],
)
def test_a_bad_question_line_is_named(paths, line, words):
    with paths.question_file("d").open("a") as handle:
        handle.write(line + "\n")
    with pytest.raises(files.ArtifactError) as error:
        sync_dataset(paths, "d", shard_pages=8)
    for word in words:
        assert word in str(error.value)


def test_pages_of_an_unreadable_file_are_estimated(paths):
    files.write_bytes(Path("data/d/bad/full.pdf"), b"%PDF-1.4 nothing" * 10_000)
    sync_dataset(paths, "d", shard_pages=100)
    row = next(line for line in paths.sheet("d").read_text().splitlines() if line.startswith("bad"))
    assert row.split("\t")[2] == "4"


def test_an_absent_or_empty_dataset_says_what_to_do(paths):
    with pytest.raises(files.ArtifactError, match="cosee init"):
        sync_dataset(paths, "nowhere", 8)
    Path("data/empty").mkdir()
    with pytest.raises(files.ArtifactError, match="put PDFs at"):
        sync_dataset(paths, "empty", 8)
