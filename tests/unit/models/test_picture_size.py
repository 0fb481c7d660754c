"""Sizes and tokens of pictures: the published rule in our own words, held against transformers' processor."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image

from cosee.models.blocks import Message, PageImage, estimate_tokens
from cosee.models.local.qwen_vl_encoding import QwenVLEncoder, load_encoder
from cosee.models.messages import image_block
from cosee.models.picture_size import QWEN3_VL, PictureSize

SIDES = (1, 15, 16, 31, 48, 80, 112, 333, 720, 1191, 1684, 2500, 5000)
SIZES = [(width, height) for width in SIDES for height in SIDES if max(width, height) < 190 * min(width, height)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> QwenVLEncoder:
    return load_encoder(build_tiny_qwen3vl(Path(tmp_path_factory.mktemp("tiny")) / "model"), None, None)


def test_the_rule_counts_what_the_processor_makes(encoder: QwenVLEncoder) -> None:
    rule = encoder.picture_size
    assert rule == PictureSize(32, 64 * 64, 2048 * 2048)
    for size in SIZES:
        assert rule.tokens(*size) == encoder._token_count(*size), size
    for size in ((1191, 1684), (40, 700), (3000, 2100)):
        made = encoder.processor.image_processor(images=[Image.new("RGB", size)], return_tensors="pt")
        _, down, across = made["image_grid_thw"][0].tolist()
        assert rule.fitted(*size) == (across * 16, down * 16)


def test_a_page_of_a4_is_counted_as_a_served_model_reads_it() -> None:
    page = image_block(PageImage(1, Image.new("1", (1191, 1684))))
    assert QWEN3_VL.fitted(1191, 1684) == (1184, 1696)
    assert estimate_tokens([Message((page,))]) == 37 * 53 + 2
    assert estimate_tokens([Message((page,))], PictureSize(28)) == 43 * 60 + 2
    assert PictureSize(max_pixels=1_000_000).tokens(1191, 1684) <= 1_000_000 // 32**2
