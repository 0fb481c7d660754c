"""From messages to what Qwen3-VL is given: token ids, picture patches, and their count without any weights."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosee.artifacts import files
from cosee.models.blocks import Message, PageImage, pictures_of
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_generation import Picture, Prompt
from cosee.models.local.thresholds import KEPT_PICTURES, LONGEST_TO_SHORTEST
from cosee.models.messages import to_chat
from cosee.models.picture_size import PictureSize

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


def load_encoder(folder: Path, min_pixels: int | None, max_pixels: int | None) -> QwenVLEncoder:
    """The encoder of a folder's processor, with bounds on pixels in place of its own where they are given.

    Raises:
        ModelError: torchvision is broken, or the processor does not load.
    """
    loading.stay_offline()
    loading.check_torchvision()
    from transformers import AutoProcessor

    loading.ensure_video_processor()
    processor = loading.load_part("processor", AutoProcessor, folder)
    size = processor.image_processor.size
    for edge, value in (("shortest_edge", min_pixels), ("longest_edge", max_pixels)):
        if value is not None:
            size[edge] = value
    return QwenVLEncoder(processor)


class QwenVLEncoder:
    """Encodes with a Qwen3-VL processor. The patches of the last pictures are kept, so that a page is cut up once."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.image_token: str = processor.image_token
        self.image_token_id: int = processor.tokenizer.convert_tokens_to_ids(self.image_token)
        self._merged: int = processor.image_processor.merge_size**2
        size, unit = processor.image_processor.size, processor.image_processor.merge_size
        self.picture_size = PictureSize(
            processor.image_processor.patch_size * unit, size["shortest_edge"], size["longest_edge"]
        )
        self._kept: OrderedDict[str, tuple[torch.Tensor, torch.Tensor]] = OrderedDict()

    def encode(self, messages: Sequence[Message], model: Any) -> Prompt:
        """A conversation for ``model`` (a ``Qwen3VLModel``), which knows how rotary positions follow from grids."""
        import torch

        images = pictures_of(messages)
        features = [self._features(image) for image in images]
        counts = [int(grid.prod()) // self._merged for _, grid in features]
        ids = torch.tensor(self._ids(to_chat(messages, pictures=False), counts))
        kinds = self.kinds(ids)
        grids = torch.cat([grid for _, grid in features]) if features else None
        positions, _ = model.get_rope_index(ids[None], mm_token_type_ids=kinds[None], image_grid_thw=grids)
        signature = ids.numpy().copy()
        starts = np.flatnonzero(np.diff(kinds.numpy(), prepend=0) == 1)
        pictures: list[Picture] = []
        for start, count, image, (pixels, grid) in zip(starts.tolist(), counts, images, features, strict=True):
            signature[start : start + count] = -int(files.sha256_value([image.sha256, grid.tolist()])[:15], 16)
            pictures.append(Picture(start, start + count, pixels, grid))
        return Prompt(ids, positions[:, 0], signature, tuple(pictures))

    def length(self, messages: Sequence[Message] | Sequence[Mapping[str, Any]]) -> int:
        """Tokens of a conversation, given as messages or as ``build_messages`` gives it."""
        chat, sizes = _chat_and_sizes(messages)
        return len(self._ids(chat, [self._token_count(*size) for size in sizes]))

    def text(self, messages: Sequence[Message]) -> str:
        """The rendered conversation, with one token where a picture stands."""
        chat = to_chat(messages, pictures=False)
        return str(self.processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))

    def kinds(self, ids: torch.Tensor) -> torch.Tensor:
        """1 where a position belongs to a picture, 0 for text."""
        return (ids == self.image_token_id).int()

    def _ids(self, chat: Sequence[Mapping[str, Any]], counts: Sequence[int]) -> list[int]:
        """Token ids of the rendered chat, each picture's token repeated as often as the picture has positions."""
        text = self.processor.apply_chat_template(list(chat), tokenize=False, add_generation_prompt=True)
        first, *others = text.split(self.image_token)
        pieces = [first, *(self.image_token * count + other for count, other in zip(counts, others, strict=True))]
        ids: list[int] = self.processor.tokenizer("".join(pieces), add_special_tokens=False)["input_ids"]
        return ids

    def _token_count(self, width: int, height: int) -> int:
        width, height = _padded_size(width, height)
        patches: int = self.processor.image_processor.get_number_of_image_patches(height, width)
        return patches // self._merged

    def _features(self, image: PageImage) -> tuple[torch.Tensor, torch.Tensor]:
        """Patches and grid of a picture."""
        if image.sha256 in self._kept:
            self._kept.move_to_end(image.sha256)
            return self._kept[image.sha256]
        made = self.processor.image_processor(images=[padded(image.load())], return_tensors="pt")
        features = made["pixel_values"], made["image_grid_thw"]
        self._kept[image.sha256] = features
        if len(self._kept) > KEPT_PICTURES:
            self._kept.popitem(last=False)
        return features


def _padded_size(width: int, height: int) -> tuple[int, int]:
    """The size after padding to a legal ratio of sides, pixels."""
    shortest = -(-max(width, height) // LONGEST_TO_SHORTEST)
    return max(width, shortest), max(height, shortest)


def padded(picture: Image) -> Image:
    """The picture, padded with white at its right and bottom where one side is too short for the other."""
    import PIL.Image

    size = _padded_size(*picture.size)
    if size == picture.size:
        return picture
    larger = PIL.Image.new("RGB", size, "white")
    larger.paste(picture, (0, 0))
    return larger


def _chat_and_sizes(
    messages: Sequence[Message] | Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """The chat without pictures, and the width and height of each picture in order."""
    chat: list[dict[str, Any]] = []
    sizes: list[tuple[int, int]] = []
    for message in messages:
        if isinstance(message, Message):
            chat.extend(to_chat([message], pictures=False))
            sizes.extend(image.size for image in pictures_of([message]))
            continue
        parts = message["content"] if not isinstance(message["content"], str) else []
        sizes.extend(part["image"].size for part in parts if part["type"] == "image")
        bare = [{"type": "image"} if part["type"] == "image" else part for part in parts]
        chat.append({**message, "content": bare or message["content"]})
    return chat, sizes
