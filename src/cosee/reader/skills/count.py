"""Counting figures, tables, sections and charts by form among the nodes of the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.text.content_words import terms
from cosee.text.folding import fold

_FORMS = {"line": "line", "bar": "bar", "column": "bar", "stacked": "bar", "pie": "pie", "scatter": "scatter"}
_NODE_TYPES = {
    "figure": "image", "image": "image", "photo": "image", "picture": "image", "diagram": "image",
        "screenshot": "image",
    "chart": "image", "plot": "image", "graph": "image", "table": "table", "section": "section", "chapter": "section",
    "equation": "equation",
}  # fmt: skip
_PAGES_WITH = re.compile(r"\bpages? (?:\w+ ){0,4}?(tables?|figures?|images?|photos?|charts?|equations?)\b")
_IMAGE_KINDS = {"photo": "photo", "diagram": "diagram", "screenshot": "screenshot"}


def count(asked: Asked, passages: Sequence[Passage]) -> list[Passage] | None:
    """The nodes that a structural question counts, or None where it counts something else.

    Of figures and tables those with a number count, each once, where there are any: ``Figure 3`` in two pictures is
    one.

    Charts are told by ``chart_form`` (or ``image_kind`` statistical), not by their captions. Pages and a section that
    the question names restrict the count; so does nothing else, so what is not in the evidence is not counted.
    """
    *adjective, thing = asked.structure.split() or [""]
    holding = _PAGES_WITH.search(fold(asked.core)) if thing == "page" else None
    node_type = _NODE_TYPES.get(holding[1].rstrip("s") if holding else thing)
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
    for word, number in asked.labels:
        if word in ("chapter", "section", "part", "appendix"):
            head = re.compile(rf"(?:{word}\s+)?{re.escape(number)}(?![\w.]*\d)\b", re.IGNORECASE)
            found = [passage for passage in found if any(head.match(title.strip()) for title in passage.path)]
    named = {passage.label: passage for passage in reversed(found) if passage.label}
    if thing in ("figure", "table") and form is None and named:
        found = [passage for passage in found if named.get(passage.label) is passage]
    if holding:
        found = list({passage.page: passage for passage in reversed(found)}.values())[::-1]
    return found
