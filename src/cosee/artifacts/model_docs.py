"""What can be said of pydantic models without running anything else: schemas, field tables, configuration keys.

Field meanings come from ``Field(description=...)`` or from the docstring under the field, which is read from the
source, so that a model is documented in one place.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cosee.artifacts.base import Artifact
from cosee.artifacts.settings.by_name import SettingsOf

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class Key:
    """One key of the configuration. ``default`` is its JSON, None where the key is required or a section."""

    path: str
    type: str
    default: str | None
    description: str


@dataclass(frozen=True)
class Section:
    """Keys that belong together; ``path`` is empty for the top level."""

    path: str
    description: str
    keys: list[Key]


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model, with the meaning of every field, and the header fields of an artifact."""
    schema = model.model_json_schema()
    definitions: dict[str, Any] = schema.get("$defs", {})
    for inner in models_of(model):
        target = schema if inner is model else definitions.get(inner.__name__)
        if target is None:
            continue
        target["description"] = _plain(target.get("description", ""))
        for name, text in field_docs(inner).items():
            if name in target.get("properties", {}):
                target["properties"][name]["description"] = _plain(text)
    if issubclass(model, Artifact):
        header = {"schema": {"const": model.schema_name}, "version": {"const": model.schema_version}}
        schema["properties"] = {**header, **schema["properties"]}
        schema["required"] = [*header, *schema.get("required", [])]
    return {"$schema": DIALECT, **schema}


def models_of(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The model and every model inside it, each once, outer before inner."""
    found: list[type[BaseModel]] = [model]
    for current in found:
        for field in current.model_fields.values():
            found.extend(inner for inner in _models_in(field.annotation) if inner not in found)
    return found


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Field name -> meaning; fields without a word about them are left out."""
    docs: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            docs.update(_docstrings(base))
    docs.update({name: field.description for name, field in model.model_fields.items() if field.description})
    return {name: " ".join(text.split()) for name, text in docs.items() if name in model.model_fields}


def sections(model: type[BaseModel], path: str = "") -> Iterator[Section]:
    """The keys of a settings model, a section for each model inside it."""
    docs = field_docs(model)
    schema = json_schema(model)
    keys: list[Key] = []
    inner: list[tuple[str, type[BaseModel]]] = []
    for name, field in model.model_fields.items():
        where = f"{path}.{name}" if path else name
        below = list(_sections_below(where, field.annotation))
        inner.extend(below)
        default = None if below and below[0][0] == where else _default(field)
        meaning = docs.get(name) or (_summary(below[0][1]) if below else "")
        keys.append(Key(where, type_text(schema["properties"][name]), default, meaning))
    yield Section(path, _summary(model), keys)
    for where, current in inner:
        yield from sections(current, where)


def type_text(schema: dict[str, Any]) -> str:
    """A JSON Schema fragment in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(type_text(option) for option in schema[several]))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema["enum"])
    # General knowledge: the types of JSON Schema.
    return _container_text(schema) if schema.get("type") in ("array", "object") else str(schema.get("type", "any"))


def _container_text(schema: dict[str, Any]) -> str:
    if schema["type"] == "object":
        values = schema.get("additionalProperties")
        return f"map to {type_text(values)}" if isinstance(values, dict) else "object"
    if "prefixItems" in schema:
        return "[" + ", ".join(type_text(item) for item in schema["prefixItems"]) + "]"
    return f"list of {type_text(schema['items'])}" if schema.get("items") else "list"


def _sections_below(path: str, annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """Where the models inside an annotation stand in the configuration."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield path, annotation
    elif get_origin(annotation) is dict:
        for inner in _models_in(get_args(annotation)[1]):
            yield f"{path}.<name>", inner
    elif get_origin(annotation) is list:
        for inner in _models_in(get_args(annotation)[0]):
            strategy = inner.model_fields.get("strategy")
            yield f"{path}[{strategy.get_default() if strategy else ''}]", inner


def _default(field: FieldInfo) -> str | None:
    if field.is_required():
        return None
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, list) and any(isinstance(item, BaseModel) for item in value):
        value = [getattr(item, "label", item) for item in value]
    return json.dumps(value, ensure_ascii=False)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    for chosen in get_args(annotation)[1:]:
        if isinstance(chosen, SettingsOf):
            return chosen.models()
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, list, dict, tuple) or get_args(annotation):
        return [model for argument in get_args(annotation) for model in _models_in(argument)]
    return []


@cache
def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Strings that stand under a field in the class body."""
    tree = ast.parse(inspect.getsource(model))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    docs: dict[str, str] = {}
    for field, text in zip(body, body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            docs[field.target.id] = text.value.value
    return docs


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _plain(text: str) -> str:
    """One line, without the marks of a docstring."""
    return " ".join(text.split()).replace("``", "`")
