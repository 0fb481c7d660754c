"""What a model is asked for: a strict JSON schema made of a model of replies that is lenient in what it accepts.

A reply's fields have defaults and wide types, so that what a model leaves out or writes otherwise can still be read. A
model that sees defaults leaves fields out, and guided decoding lets it. So the schema that is sent requires every field
and names one type: fields in the order of the class, reasoning before the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel

from cosee.models.boxes import Grid
from cosee.models.thresholds import MOST_LIST_ITEMS

OPTIONAL: Final[dict[str, Any]] = {"asked": "optional"}
"""``Field(json_schema_extra=OPTIONAL)``: a field that a reply may do without."""
UNASKED: Final[dict[str, Any]] = {"asked": "no"}
"""A field that is read where a model gives it, and that none is asked for."""
BOX: Final[dict[str, Any]] = {"asked": "box"}
"""A box on a page's picture, four numbers: asked for of a model that sees pictures, which knows no node of them."""
EYES: Final[dict[str, Any]] = {"asked": "eyes"}
"""A field that a model which sees pictures may give, and no other is asked for."""
OPTIONAL_BOX: Final[dict[str, Any]] = {**BOX, "may_lack": True}
"""A box that a reply may do without."""
_DROPPED = {"title", "default", "asked", "may_lack", "$defs"}


@lru_cache(maxsize=64)
def asked_schema(schema: type[BaseModel], box_grid: Grid | None = None) -> dict[str, Any]:
    """The JSON schema that is sent for ``schema``, as prompt text and as ``response_format``.

    ``box_grid`` is how far boxes count across a page, or that they count pixels; None for a model that sees none. A
    class with ``asked_as``, a tuple of classes, is asked for as one of these, and read as itself.
    """
    kinds: tuple[type[BaseModel], ...] = getattr(schema, "asked_as", None) or (schema,)
    wholes = [kind.model_json_schema() for kind in kinds]
    asked = [_asked(whole, whole.get("$defs", {}), box_grid) for whole in wholes]
    return asked[0] if len(asked) == 1 else {"anyOf": _described_once(asked)}


def shown_schema(schema: type[BaseModel], box_grid: Grid | None = None) -> str:
    """``asked_schema`` as a prompt shows it: on one line, without the bounds that only guided decoding can hold."""
    asked = json.dumps(asked_schema(schema, box_grid), ensure_ascii=False, separators=(",", ":"))
    return asked.replace(',"additionalProperties":false', "").replace(f',"maxItems":{MOST_LIST_ITEMS}', "")


def left_out(value: BaseModel) -> list[str]:
    """Required fields that a reply, read as ``value``, did not give: of several kinds, those of the one that it is."""
    asked = asked_schema(type(value))
    given = value.model_dump(exclude_unset=True, exclude_none=True)
    for kind in asked.get("anyOf", [asked]):
        constants = {name: field["const"] for name, field in kind["properties"].items() if "const" in field}
        if all(given.get(name) == constant for name, constant in constants.items()):
            return [name for name in kind["required"] if name not in given]
    return []


def filled_in(value: Any) -> Any:
    """What a small model wrote where the schema says ``properties`` and ``items``: it fills the schema in."""
    if isinstance(value, list):
        return list(map(filled_in, value))
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("items"), list) and value.keys() <= {"items", "type", "description"}:
        return list(map(filled_in, value["items"]))
    inner = value.get("properties")
    if isinstance(inner, dict):
        value = {**inner, **{name: each for name, each in value.items() if name != "properties"}}
    return {name: filled_in(each) for name, each in value.items()}


def _described_once(kinds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The kinds of one reply; what an earlier one says of a field is not said again."""
    said: list[tuple[str, Any]] = []
    for kind in kinds:
        for name, field in kind["properties"].items():
            if (name, field) in said:
                kind["properties"][name] = _undescribed(field)
            else:
                said.append((name, field))
    return kinds


def _undescribed(field: Any) -> Any:
    if isinstance(field, dict):
        return {
            key: _undescribed(value)
            for key, value in field.items()
            if key != "description" or not isinstance(value, str)
        }
    return [_undescribed(value) for value in field] if isinstance(field, list) else field


def _asked(schema: Any, definitions: Mapping[str, Any], grid: Grid | None) -> dict[str, Any]:
    """One schema, its references put in place; descriptions are those of fields, never of classes."""
    beside = {key: value for key, value in schema.items() if key not in {*_DROPPED, "$ref", "anyOf"}}
    if "$ref" in schema:
        return {**_asked(definitions[schema["$ref"].rpartition("/")[2]], definitions, grid), **beside}
    if "anyOf" in schema:
        options = [_asked(each, definitions, grid) for each in _types(schema["anyOf"])]
        return {**options[0], **beside} if len(options) == 1 else {"anyOf": options, **beside}
    if "items" in schema:
        beside["items"] = _asked(schema["items"], definitions, grid)
    if "properties" in schema:
        left_away = {"no"} if grid is not None else {"no", "box", "eyes"}
        fields = {name: each for name, each in schema["properties"].items() if each.get("asked") not in left_away}
        beside.pop("description", None)
        beside["properties"] = {
            name: box_schema(grid, each)
            if grid and each.get("asked") == "box"
            else _bounded(_asked(each, definitions, grid))
            for name, each in fields.items()
        }
        is_box = {name for name, each in fields.items() if each.get("asked") == "box" and not each.get("may_lack")}
        beside["required"] = [name for name, each in fields.items() if "asked" not in each or name in is_box]
        beside["additionalProperties"] = False
    return beside


def _bounded(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "maxItems": MOST_LIST_ITEMS} if field.get("type") == "array" and "maxItems" not in field else field


def box_schema(grid: Grid, field: Mapping[str, Any]) -> dict[str, Any]:
    """A box's schema; what the field says of it stands before what its numbers are."""
    whole = "in its pixels" if grid == "pixels" else f"{grid:g} being its whole width and height"
    return {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 4,
        "maxItems": 4,
        "description": f"{field.get('description', '')} x0, y0, x1, y1 of the place on the picture, {whole}.".lstrip(),
    }


def _types(options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of several types the first plain one, and those that are objects or lists; never null."""
    # General knowledge: JSON's names of types.
    plain = [each for each in options if each.get("type") in ("string", "number", "integer", "boolean")]
    return plain[:1] + [each for each in options if each not in plain and each.get("type") != "null"]
