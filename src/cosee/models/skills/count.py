"""Counting figures, tables, sections and charts by form among the nodes of the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.models.skills.nodes import Passage
from cosee.models.skills.question import Asked
from cosee.models.skills.text import terms

_FORMS = {"line": "line", "bar": "bar", "column": "bar", "stacked": "bar", "pie": "pie", "scatter": "scatter"}
_NODE_TYPES = {
    "figure": "image", "image": "image", "photo": "image", "picture": "image", "diagram": "image",
        "screenshot": "image",
    "chart": "image", "plot": "image", "graph": "image", "table": "table", "section": "section", "chapter": "section",
    "equation": "equation",
}  # fmt: skip
_IMAGE_KINDS = {"photo": "photo", "diagram": "diagram", "screenshot": "screenshot"}


def count(asked: Asked, passages: Sequence[Passage]) -> list[Passage] | None:
    """The nodes that a structural question counts, or None where it counts something else.

    Charts are told by ``chart_form`` (or ``image_kind`` statistical), not by their captions. Pages and a section that
    the question names restrict the count; so does nothing else, so what is not in the evidence is not counted.
    """
    *adjective, thing = asked.structure.split() or [""]
    node_type = _NODE_TYPES.get(thing)
    if node_type is None:
        return None
    found = [passage for passage in passages if passage.type == node_type and passage.image_kind not in ("logo",)]
    form = next((_FORMS[word] for word in adjective if word in _FORMS), None)
    if form is not None:
        found = [passage for passage in found if passage.chart_form == form]
    elif thing in ("chart", "plot", "graph"):
        found = [
            passage
            for passage in found
            if passage.image_kind == "statistical" or passage.chart_form not in (None, "unknown")
        ]
    elif thing in _IMAGE_KINDS:
        found = [passage for passage in found if passage.image_kind == _IMAGE_KINDS[thing]]
    if asked.pages:
        found = [passage for passage in found if passage.page in asked.pages]
    if asked.section:
        wanted = set(terms(asked.section))
        found = [passage for passage in found if any(wanted <= set(terms(title)) for title in passage.path)]
    return found
