"""The reader without a model: dispatch by schema, and that it reads the request's blocks and nothing else."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from cosee.artifacts.base import Record
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import ModelError, Sampling
from cosee.models.messages import (
    board_block,
    evidence_message,
    history_block,
    image_block,
    instruction_block,
    node_block,
    page_text_block,
    question_block,
    role_block,
    table_block,
)
from cosee.reader.client import HANDLERS, EmbeddedClient
from cosee.reader.reading import Reading

PARAGRAPH = {
    "node_id": "t_1",
    "type": "paragraph",
    "page": 3,
    "text": "The plant opened in 1984 in Turin.",
    "path": ["History"],
}
TABLE = {
    "node_id": "tab_2", "type": "table", "page": 4, "title": "Staff by site", "text": "Site | Staff\nTurin | 85",
    "rows": [["Site", "Staff"], ["Turin", "85"], ["Lyon", "120"]], "header_rows": 1,
}  # fmt: skip


class Answer(Record):
    answer: str


class Other(Record):
    x: int


def message(question="When did the plant open?"):
    return evidence_message(
        question,
        images=[PageImage(3, Image.new("RGB", (4, 4)))],
        evidence=[page_text_block(3, "1", PARAGRAPH["text"], [PARAGRAPH]), table_block(TABLE), node_block(PARAGRAPH)],
        instruction=instruction_block("read", "Answer.", step=2),
        history=history_block([{"author": "a", "content": "hi"}]),
        board=board_block("text", [{"id": 1, "content": "note"}]),
        role=role_block("You scan.", "scanner"),
    )


def test_a_reading_gives_the_blocks_data():
    reading = Reading([message()], Sampling())
    assert reading.question == "When did the plant open?"
    assert reading.page_numbers[:1] == [3]
    assert reading.page_numbers == [3, 4]
    assert [passage.node_id for passage in reading.passages] == ["t_1", "tab_2"]
    assert reading.passages[1].rows[1] == ("Turin", "85")
    assert reading.board == [{"id": 1, "content": "note", "details": {}, "tags": []}]
    assert (reading.role, reading.history) == ("scanner", [{"author": "a", "content": "hi"}])


def test_an_empty_request_reads_as_empty():
    reading = Reading([Message(())], Sampling())
    assert (reading.question, reading.passages, reading.board, reading.role) == ("", [], [], "")
    assert reading.answer().abstained


def test_a_page_without_nodes_is_read_by_paragraphs():
    reading = Reading([Message((page_text_block(2, None, "One.\n\nTwo."),))], Sampling())
    assert [(passage.page, passage.text) for passage in reading.passages] == [(2, "One."), (2, "Two.")]


def test_requests_go_to_the_schemas_handler(monkeypatch):
    monkeypatch.setitem(HANDLERS, Answer, lambda reading: Answer(answer=reading.answer().answer))
    client = EmbeddedClient()
    reply = client.request([message()], Answer)
    assert reply.value == Answer(answer="1984")
    assert reply.repairs == ()
    assert reply.usage.calls == 1
    with pytest.raises(ModelError, match="has no reply to Other"):
        client.request([message()], Other)


def test_chat_answers_with_the_default_reading_as_json():
    reply = json.loads(EmbeddedClient().chat([message()]).text)
    assert reply["answer"] == "1984"
    assert [quote["node_id"] for quote in reply["quotes"]] == ["t_1"]
    assert reply["abstained"] is False
    assert EmbeddedClient().generate([], "Where?") != ""


def test_it_sees_no_pictures_and_says_what_it_is():
    client = EmbeddedClient()
    assert client.name == "embedded"
    assert client.sees_images is False
    picture = image_block(PageImage(1, Image.new("RGB", (4, 4))))
    reply = json.loads(client.chat([Message((picture, question_block("What is shown?")))]).text)
    assert reply["abstained"] is True
    assert reply["answer"] == "Not answerable"
