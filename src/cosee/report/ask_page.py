"""The pages that a server of documents has beside the report, made of the report's parts: asking, and its endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from cosee.report.site import templates

STATIC: Mapping[str, str] = {
    "style.css": "text/css", "pages.css": "text/css", "ask.js": "text/javascript",
}  # fmt: skip
"""Files of these pages -> their types."""


def static_file(name: str) -> bytes:
    """A file of ``STATIC``."""
    return (resources.files("cosee.report") / "static" / name).read_bytes()


def ask_page(
    dataset: str, documents: Sequence[Mapping[str, Any]], *, model: str | None, served: bool, report: str | None
) -> str:
    """The page where a document is chosen and asked. ``documents``: ``doc_id``, ``pages``, and the ``href`` of its page
    in the report, if any. ``served``: the model is behind a server of its own."""
    return templates().get_template("ask.html").render(
        root="/", dataset=dataset, documents=documents, model=model, served=served, report=report
    )  # fmt: skip


def api_page(schema: Mapping[str, Any]) -> str:
    """What an OpenAPI schema says of its calls."""
    about = schema["info"]
    return templates().get_template("api.html").render(
        root="/", title=about["title"], description=about.get("description", ""), calls=list(_calls(schema))
    )  # fmt: skip


def _calls(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for path, verbs in schema["paths"].items():
        for verb, call in verbs.items():
            yield {
                "verb": verb.upper(),
                "path": path,
                "words": call.get("description") or call.get("summary", ""),
                "fields": [*_parameters(call), *_body(schema, call)],
                "replies": [(status, reply["description"]) for status, reply in sorted(call["responses"].items())],
            }


def _parameters(call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for each in call.get("parameters", ()):
        yield _field(each["name"], {**each["schema"], **each}, each.get("required", False))


def _body(schema: Mapping[str, Any], call: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in call.get("requestBody", {}).get("content", {}).values():
        model = schema
        for part in kind["schema"]["$ref"].removeprefix("#/").split("/"):
            model = model[part]
        for name, told in model["properties"].items():
            yield _field(name, told, name in model.get("required", ()))


def _field(name: str, told: Mapping[str, Any], required: bool) -> dict[str, Any]:
    kinds = [told, *told.get("anyOf", ())]
    bounds = [f"{words} {each[key]}" for each in kinds for key, words in BOUNDS.items() if key in each]
    kind = ", ".join([*dict.fromkeys(each["type"] for each in kinds if each.get("type", "null") != "null"), *bounds])
    return {"name": name, "required": required, "type": kind, "words": told.get("description", "")}


BOUNDS = {"minLength": "at least", "maxLength": "at most", "minimum": "from", "maximum": "to", "pattern": "like"}
"""Bounds of a field in OpenAPI, in words; lengths are in characters."""
