"""Judges what was read of one document against the expectation of a case.

A case is a folder with an input and ``expected.json``; ``expect`` holds keys, each of them one demand. The document is
given in a neutral form (``Observed``), so that any reader can be judged. A key without a rule here is not judged.
"""

from __future__ import annotations

from typing import Any

from benchmarks.case_rules import artifacts, media, pages, sources, text
from benchmarks.case_rules.observed import Failures, Observed, View

_RULES_OF_VIEWS = text.RULES | media.RULES | pages.RULES
_RULES_OF_SOURCES = sources.RULES | artifacts.RULES


def check(expect: dict[str, Any], seen: Observed) -> tuple[dict[str, Failures], list[str]]:
    """Failing key -> what was found instead, and the keys that were not judged."""
    failing: dict[str, Failures] = {}
    unjudged: list[str] = []
    # ``status_in`` widens a plain ``status`` that stands beside it.
    skipped = {"headings_optional", *(("status",) if "status_in" in expect else ())}
    for key, wanted in expect.items():
        if key in skipped:
            continue
        rule, source_rule = _RULES_OF_VIEWS.get(key), _RULES_OF_SOURCES.get(key)
        if rule is not None:
            found = rule(View(seen, expect), wanted)
        elif source_rule is not None:
            found = source_rule(seen, wanted)
        else:
            unjudged.append(key)
            continue
        if found:
            failing[key] = found
    return failing, unjudged
