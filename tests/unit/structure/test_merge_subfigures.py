from __future__ import annotations

import pytest
from helpers.content_lists import Pages

from cosee.structure.enhance import enhance

GRID = [(0.2, 0.15, 0.48, 0.28), (0.51, 0.15, 0.8, 0.28), (0.2, 0.33, 0.48, 0.46), (0.51, 0.33, 0.8, 0.46)]


def grid(labels: bool = True) -> Pages:
    pages = Pages()
    pages.body(1, bbox=(0.1, 0.06, 0.9, 0.1))
    for letter, box in zip("abcd", GRID, strict=True):
        pages.image(bbox=box, image_path=f"images/{letter}.png")
        if labels:
            pages.add(
                f"({letter}) run {letter}", size=8, bbox=(box[0] + 0.1, box[3] + 0.005, box[0] + 0.2, box[3] + 0.02)
            )
    pages.add("Figure 5: Four runs of the test.", bbox=(0.2, 0.5, 0.7, 0.515))
    pages.body(2, bbox=(0.1, 0.55, 0.9, 0.6))
    return pages


def test_four_panels_under_one_caption_are_one_figure() -> None:
    # contract: D10
    enhanced = enhance(grid().adapted())
    figures = [item for item in enhanced.items if item.role == "image"]
    assert len(figures) == 1
    assert figures[0].id == "img_1"
    assert figures[0].members == ["img_3", "img_5", "img_7"]
    assert figures[0].caption == "Figure 5: Four runs of the test."
    assert figures[0].bbox == pytest.approx((0.2, 0.15, 0.8, 0.48))
    assert [region.bbox for region in figures[0].regions] == GRID


def test_sub_captions_are_kept_and_tied_to_the_figure() -> None:
    # contract: D12
    enhanced = enhance(grid().adapted())
    captions = [item for item in enhanced.items if item.role == "caption"]
    assert [item.text for item in captions] == [
        "(a) run a",
        "(b) run b",
        "(c) run c",
        "(d) run d",
        "Figure 5: Four runs of the test.",
    ]
    assert {item.caption_of for item in captions} == {"img_1"}
    figure = next(item for item in enhanced.items if item.id == "img_1")
    assert sorted(figure.caption_ids) == sorted(item.id for item in captions)


def test_panels_without_letters_are_joined_when_the_caption_reaches_over_them() -> None:
    pages = Pages()
    pages.image(bbox=(0.1, 0.2, 0.48, 0.4))
    pages.image(bbox=(0.52, 0.2, 0.9, 0.4))
    pages.add("Figure 1: Before and after the repair of the pump in the northern hall.", bbox=(0.1, 0.42, 0.9, 0.44))
    figures = [item for item in enhance(pages.adapted()).items if item.role == "image"]
    assert [(item.id, item.members) for item in figures] == [("img_0", ["img_1"])]


def test_neighbours_with_their_own_captions_stay_apart() -> None:
    # contract: D11
    pages = Pages()
    for left, number in ((0.1, 1), (0.52, 2)):
        pages.image(bbox=(left, 0.2, left + 0.38, 0.4))
        pages.add(f"Figure {number}: Half {number}.", bbox=(left + 0.05, 0.42, left + 0.3, 0.44))
    figures = [item for item in enhance(pages.adapted()).items if item.role == "image"]
    assert [(item.label, item.members) for item in figures] == [("Figure 1", []), ("Figure 2", [])]


def test_text_between_pictures_keeps_them_apart() -> None:
    # contract: D11
    pages = Pages()
    pages.image(bbox=(0.2, 0.1, 0.8, 0.3))
    pages.add("A sentence of the running text that stands between both pictures.", bbox=(0.2, 0.31, 0.8, 0.34))
    pages.image(bbox=(0.2, 0.35, 0.8, 0.55))
    pages.add("Figure 1: The second of the two.", bbox=(0.2, 0.56, 0.8, 0.575))
    assert sum(item.role == "image" for item in enhance(pages.adapted()).items) == 2
