"""Boxes of typed replies: from the grid of the model's entry to 0..1, once, by the picture as it was sent."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from helpers.model_server import MODEL, model_server
from PIL import Image

from cosee.agents.baselines.schemas import PageAnswer
from cosee.models.blocks import Message, PageImage
from cosee.models.boxes import shown_box, unit_box
from cosee.models.entries import ServedEntry
from cosee.models.messages import image_block, question_block
from cosee.models.served.openai_client import OpenAIClient
from cosee.models.structured import request


def entry(url: str, **fields: Any) -> ServedEntry:
    return ServedEntry.model_validate({"kind": "openai", "model": MODEL, "base_url": f"{url}/v1", **fields})


def reply(*boxes: list[float] | None, page: int | None = 2) -> str:
    quotes = [{"page": page, "quote": "here", "bbox": box} for box in boxes]
    return json.dumps({"explanation": "So.", "quotes": quotes, "answer": "1", "confidence": 1})


def asked(width: int, height: int) -> list[Message]:
    pictures = [image_block(PageImage(page, Image.new("RGB", (width, height), "white"))) for page in (1, 2)]
    return [Message((*pictures, question_block("Where?")))]


def sent_sizes(request: dict[str, Any]) -> list[tuple[int, int]]:
    parts = [part for message in request["messages"] for part in message["content"] if part["type"] == "image_url"]
    pictures = [base64.b64decode(part["image_url"]["url"].partition(",")[2]) for part in parts]
    return [Image.open(io.BytesIO(picture)).size for picture in pictures]


def test_a_box_in_pixels_counts_the_picture_as_it_was_sent() -> None:
    with model_server() as server:
        server.replies = [reply([148, 212, 592, 424], [10, 10, 1185, 20])]
        client = OpenAIClient(entry(server.url, box_grid="pixels"), environment={})
        typed = request(client, asked(1191, 1684), PageAnswer)
        assert sent_sizes(server.requests[-1]) == [(1184, 1696)] * 2
        assert "in its pixels" in json.dumps(server.requests[-1]["response_format"])
    assert typed.value is not None and typed.value.quotes is not None
    first, second = typed.value.quotes
    assert first.bbox == [0.125, 0.125, 0.5, 0.25]
    assert second.bbox is None and typed.repairs == ("box_dropped",), "a box outside of its page is dropped with a note"


@pytest.mark.parametrize("grid", [1000, 1])
def test_a_picture_of_another_grid_goes_as_it_was_rendered(grid: float) -> None:
    size = (1191, 1684)
    box = [edge * grid for edge in (0.1, 0.2, 0.5, 0.6)]
    with model_server() as server:
        server.replies = [reply(box)]
        typed = request(OpenAIClient(entry(server.url, box_grid=grid), environment={}), asked(*size), PageAnswer)
        assert sent_sizes(server.requests[-1]) == [size] * 2
    assert typed.value is not None and typed.value.quotes is not None
    assert typed.value.quotes[0].bbox == [0.1, 0.2, 0.5, 0.6]


def test_pictures_with_more_pixels_than_the_entry_allows_are_made_smaller() -> None:
    with model_server() as server:
        server.replies = [reply()]
        client = OpenAIClient(entry(server.url, max_pixels=500_000), environment={})
        request(client, asked(1191, 1684), PageAnswer)
        ((width, height), _) = sent_sizes(server.requests[-1])
    assert width * height <= 500_000 and width % 32 == height % 32 == 0
    assert client.tokenize_prompt_length(asked(1191, 1684)) >= 2 * width * height // 32**2
    assert client.settings["pictures"]["max_pixels"] == 500_000, "another size is another call for the journal"


def test_a_box_of_no_named_page_needs_a_single_picture() -> None:
    with model_server() as server:
        server.replies = [reply([100, 100, 200, 200], page=None)]
        client = OpenAIClient(entry(server.url, box_grid="pixels"), environment={})
        both = request(client, asked(320, 320), PageAnswer).value
        one = request(client, [Message(asked(320, 320)[0].blocks[1:])], PageAnswer).value
    assert both is not None and both.quotes is not None and both.quotes[0].bbox is None
    assert one is not None and one.quotes is not None and one.quotes[0].bbox == [0.3125, 0.3125, 0.625, 0.625]


def test_a_box_is_told_in_the_grid_that_it_is_read_in() -> None:
    box = (0.1, 0.25, 0.5, 0.75)
    for grid, size in ((1000, None), (1, None), ("pixels", (1184, 1696))):
        said = shown_box(box, grid, size)
        back = unit_box(said, grid, size)
        assert back is not None and max(abs(one - other) for one, other in zip(back, box, strict=True)) < 0.001
    assert unit_box([1, 2, 30, 40], "pixels") is None, "pixels of no known picture"
