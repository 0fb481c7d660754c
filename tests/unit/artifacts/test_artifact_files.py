import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import Stamp

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(VALUES)
def test_both_layouts_carry_the_value_and_repeat(value):
    # contract: D30
    assert json.loads(files.canonical_json(value)) == value
    assert json.loads(files.document_json(value)) == value
    assert files.document_json(json.loads(files.document_json(value))) == files.document_json(value)


def test_one_object_a_line():
    text = files.document_json({"nodes": [{"id": "a", "bbox": [0, 1]}, {"id": "b"}], "title": "x"})
    assert text.splitlines() == [
        "{",
        ' "nodes": [',
        '  {"bbox":[0,1],"id":"a"},',
        '  {"id":"b"}',
        " ],",
        ' "title": "x"',
        "}",
    ]


def test_a_list_of_objects_has_a_line_an_object():
    assert files.document_json([{"id": 1}, {"id": 2}]).splitlines() == ["[", ' {"id":1},', ' {"id":2}', "]"]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_list_written_object_by_object_is_the_same_file(tmp_path, count):
    rows = [{"id": n, "parts": [{"a": n}] * 9 * n, "text": "é"} for n in range(count)]
    files.write_json(tmp_path / "streamed.json", {"title": None, "rows": iter(rows), "z": [1, 2]})
    expected = files.document_json({"title": None, "rows": rows, "z": [1, 2]})
    assert (tmp_path / "streamed.json").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": object()}])
def test_what_json_cannot_carry_is_refused(value):
    with pytest.raises(ArtifactError, match="canonical JSON"):
        files.canonical_json(value)


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    files.write_json(path, {"old": 1})

    def broken(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(files.DiskFailure, match=r"a.json: cannot be written \(No space left on device\); mend that"):
        files.write_json(path, {"new": 1})
    assert files.read_json(path) == {"old": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_a_row_that_cannot_be_appended_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "journal.jsonl"
    files.append_jsonl(path, {"old": 1})
    before = path.read_bytes()

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(files.DiskFailure, match="journal.jsonl"):
            files.append_jsonl(path, {"new": 1})
    assert path.read_bytes() == before
    files.append_jsonl(path, {"new": 1})
    assert files.read_jsonl(path) == [{"old": 1}, {"new": 1}]


def test_what_a_killed_writer_left_is_taken_over(tmp_path):
    path = tmp_path / "a.json"
    (tmp_path / ".a.json.tmp").write_bytes(b"x" * 10_000)
    files.write_json(path, {"new": 1})
    assert files.read_json(path) == {"new": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_a_link_that_stands_where_the_temporary_file_belongs_is_never_written_through(tmp_path):
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    (tmp_path / ".a.json.tmp").hardlink_to(precious)
    files.write_json(tmp_path / "a.json", {"new": 1})
    (tmp_path / ".b.json.tmp").symlink_to(precious)
    with pytest.raises(OSError, match="symbolic"):
        files.write_json(tmp_path / "b.json", {"new": 1})
    assert precious.read_bytes() == b"mine"


def test_writers_of_one_file_wait_for_each_other(tmp_path):
    path = tmp_path / "a.bin"
    contents = [bytes([65 + number]) * 200_000 for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda data: [files.write_bytes(path, data) for _ in range(5)], contents))
    assert path.read_bytes() in contents
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.bin"]


def test_names_as_long_as_the_file_system_allows_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    files.write_bytes(path, b"long")
    assert path.read_bytes() == b"long"


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{broken\n')
    with pytest.raises(ArtifactError, match=r"rows.jsonl, line 2: not valid JSON"):
        files.read_jsonl(path)
    with pytest.raises(ArtifactError, match=r"absent.json: cannot be read"):
        files.read_json(tmp_path / "absent.json")


def test_another_schema_or_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "stamp.json"
    stamp = {"schema": "cosee.stamp", "version": 1, "settings": "", "code": "", "row": {"doc_id": "a", "status": "ok"}}
    files.write_json(path, stamp)
    assert Stamp.load(path).row.doc_id == "a"
    files.write_json(path, {**stamp, "version": 2})
    with pytest.raises(ArtifactError, match="version 2 is not version 1"):
        Stamp.load(path)
    files.write_json(path, {**stamp, "schema": "cosee.doctree"})
    with pytest.raises(ArtifactError, match=r"expected schema 'cosee.stamp', found 'cosee.doctree'"):
        Stamp.load(path)
    files.write_json(path, {**stamp, "row": {"doc_id": "a", "status": "fine"}})
    with pytest.raises(ArtifactError, match=r"row.status"):
        Stamp.load(path)
