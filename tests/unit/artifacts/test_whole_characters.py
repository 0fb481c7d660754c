"""Text that no file can hold is read as a mark instead of ending in an error when it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.models.calls import Generation
from cosee.models.structured import parse


def test_halves_of_characters_are_read_as_a_mark_that_every_file_can_hold(tmp_path: Path) -> None:
    lines = b'{"a": "\\ud800x", "\\udc00": ["\\ud83d\\ude00", "\\\\ud800"]}\n{"a": "\xed\xa0\x80"}\n'
    (tmp_path / "in.jsonl").write_bytes(lines)
    wanted = [{"a": "\ufffdx", "\ufffd": ["\U0001f600", "\\ud800"]}, {"a": "\ufffd"}]
    assert files.read_jsonl(tmp_path / "in.jsonl") == wanted
    assert files.parse_json(lines.splitlines()[0], "x") == wanted[0]
    files.write_jsonl(tmp_path / "out.jsonl", wanted)
    with pytest.raises(ArtifactError, match="line 1"):
        list(files.numbered_jsonl(b'{"a": ' + b"9" * 5000 + b"}", "x"))


class Reply(BaseModel):
    answer: str


@pytest.mark.parametrize("text", ['{"answer": "a\\ud800b"}', '{"answer": "a\ud800b"}', "Sure: {'answer': 'a\\ud800b'}"])
def test_halves_of_characters_in_a_reply_do_not_reach_an_answer(text: str) -> None:
    parsed = parse(Generation(text=text).text, Reply)
    assert parsed.value == Reply(answer="a\ufffdb")
