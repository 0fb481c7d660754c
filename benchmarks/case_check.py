"""Judges what was read of one document against the expectation of a case.

A case is a folder with an input and ``expected.json``; ``expect`` holds keys, each of them one demand. The document is
given in a neutral form (``Observed``), so that any reader can be judged. A key that has no rule here fails its case.
"""

from __future__ import annotations

from typing import Any

from benchmarks.case_rules import artifacts, media, pages, sources, text
from benchmarks.case_rules.observed import Failures, Observed, View

NO_RULE = "no rule of this name"
_RULES_OF_VIEWS = text.RULES | media.RULES | pages.RULES
_RULES_OF_SOURCES = sources.RULES | artifacts.RULES


def check(expect: dict[str, Any], seen: Observed) -> dict[str, Failures]:
    """Failing key -> what was found instead."""
    failing: dict[str, Failures] = {}
    # ``status_in`` widens a plain ``status`` that stands beside it.
    skipped = {"headings_optional", *(("status",) if "status_in" in expect else ())}
    for key, wanted in expect.items():
        if key in skipped:
            continue
        rule, source_rule = _RULES_OF_VIEWS.get(key), _RULES_OF_SOURCES.get(key)
        try:
            if rule is not None:
                found = rule(View(seen, expect), wanted)
            elif source_rule is not None:
                found = source_rule(seen, wanted)
            else:
                found = [NO_RULE]
        except KeyError as error:
            found = [f"an entry without {error}"]
        if found:
            failing[key] = found
    return failing
