"""Where on an image the objects are that a question names: asked of a model that sees, in its own grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from cosee.artifacts.base import BBox
from cosee.models.boxes import unit_box
from cosee.models.calls import ModelError
from cosee.models.messages import as_data
from cosee.models.reply_schema import BOX
from cosee.models.structured import parse, schema_text
from cosee.quality.prompts import LOCATE
from cosee.quality.thresholds import REPLY_TOKENS
from cosee.quality.vlm_client import VLMClient

if TYPE_CHECKING:
    from PIL.Image import Image


class LocatedObject(BaseModel):
    """One object."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(description="The object, as it was named.")
    bbox: list[float] | None = Field(None, json_schema_extra=BOX)


class LocatedObjects(BaseModel):
    """The model's reply."""

    model_config = ConfigDict(extra="ignore")

    objects: list[LocatedObject]


def locate(client: VLMClient, image: Image, names: Sequence[str]) -> dict[str, BBox]:
    """Name -> box in 0..1 of the image; a name that the model did not find, or gave no usable box for, is not there."""
    listed = ", ".join(as_data(name) for name in names)
    values = {"names": listed, "schema": schema_text(LocatedObjects, client.box_grid)}
    try:
        reply = client.generate(LOCATE.format(**values), image, max_tokens=REPLY_TOKENS)
    except ModelError:
        return {}
    said = parse(reply, LocatedObjects).value
    known = {name.casefold(): name for name in names}
    found: dict[str, BBox] = {}
    for each in said.objects if said is not None else []:
        name = known.get(" ".join(each.name.split()).casefold())
        box = unit_box(each.bbox, client.box_grid, client.sent_size(image))
        if name is not None and box is not None:
            found.setdefault(name, box)
    return found
