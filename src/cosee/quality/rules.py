"""Planning without a model: the words of a question tell what it is about."""

from __future__ import annotations

import re

from cosee.quality.distortions import named_categories
from cosee.quality.plan import GLOBAL, PlanControlFlags, PlannerOutput, flags_for
from cosee.quality.thresholds import MAX_OBJECTS_BY_RULES
from cosee.quality.tools import find_tool, tool_names

# General knowledge: words for judging the quality of a picture or of recognised text.
_JUDGED = re.compile(
    r"\b(?:quality|iqa|legib\w+|illegib\w+|readab\w+|unreadab\w+|read|clear\w*|unclear|degrad\w+|distort\w*|defects?|"
    r"clean|scan(?:ned)?|usable|ocr|good enough|acceptable|rate|score|better|worse)\b",
    re.IGNORECASE,
)
_WHOLE = {
    "image", "images", "picture", "photo", "photograph", "scan", "page", "document", "file", "screenshot", "quality",
    "rendering", "version", "whole", "one", "thing", "it", "this", "that", "reference", "original",
}  # fmt: skip
"""General knowledge: the names of pictures and documents as a whole, and pronouns for them."""
# General knowledge: the determiners of English.
_DETERMINERS = r"(?:the|this|that|these|those|my|our|its|their|each|every|both|any)"
_FUNCTION_WORDS = (
    r"is|are|was|were|be|been|being|look\w*|seem\w*|appear\w*|has|have|had|do|does|did|can|could|will|would|should|"
    r"to|in|on|of|at|from|by|with|without|for|and|or|than|as|too|very|so|still|really|well|clearly|enough|not"
)
"""General knowledge: auxiliaries, copular verbs, prepositions, conjunctions and adverbs of degree."""
_JUDGEMENTS = (
    r"sharp|sharper|blurry|blurred|blurring|noisy|grainy|dark|bright|readable|legible|clear|visible|overexposed|"
    r"underexposed|faded|skewed|tilted|compressed|pixelated|unreadable|illegible|good|bad|ok|usable"
)
"""General knowledge: adjectives for the quality of a picture."""
_STOP = rf"(?:{_FUNCTION_WORDS}|{_JUDGEMENTS}|show\w*|contain\w*|caused?|due)"
_OBJECT = re.compile(
    rf"\b{_DETERMINERS}\s+((?:(?!{_STOP}\b)[\w-]+\s+){{0,2}}?(?!{_STOP}\b)[\w-]+)(?=\s+{_STOP}\b|\s*[?.,;:!]|\s*$)",
    re.IGNORECASE,
)
_MEASURES = {
    "sharpness", "blur", "noise", "contrast", "brightness", "colour", "color", "colours", "colors", "compression",
    "artifacts", "artefacts", "exposure", "resolution", "focus", "skew", "score", "level", "lighting", "saturation",
}  # fmt: skip
"""General knowledge: what is measured of a picture."""


def plan_by_rules(query: str, *, has_reference: bool = False, replan_reason: str | None = None) -> PlannerOutput:
    """A plan from the question's words. A tool that was asked for and could not run (``replan_reason``) is let go."""
    asked = named_tool(query)
    tool = asked if replan_reason is None else None
    # The name of a tool may sound like a distortion.
    rest = query if asked is None else re.sub(rf"(?<!\w){re.escape(asked)}(?!\w)", " ", query, flags=re.IGNORECASE)
    named = named_categories(rest)
    objects = objects_of(query)
    is_iqa = bool(named or asked or _JUDGED.search(query))
    explicit = is_iqa and bool(named)
    fields = {
        "query_type": "IQA" if is_iqa else "Other",
        "query_scope": objects or GLOBAL,
        "distortion_source": "Explicit" if explicit else "Inferred",
        "distortions": {name: named for name in (objects or [GLOBAL])} if explicit else None,
        "reference_mode": "Full-Reference" if has_reference else "No-Reference",
        "required_tool": tool,
        "plan": dict.fromkeys(PlanControlFlags.model_fields, False),
    }
    plan = PlannerOutput.model_validate(fields)
    return plan.model_copy(update={"plan": flags_for(plan)})


def named_tool(query: str) -> str | None:
    """The first measure that a question names by its own name, as it is written in the registry."""
    places = [
        (found.start(), name)
        for name in tool_names()
        if (found := re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", query, re.IGNORECASE))
    ]
    if places:
        return min(places)[1]
    # General knowledge: verbs and prepositions that name a means.
    asked = re.search(
        r"\b(?:use|using|with|run|by|apply)\s+(?:the\s+)?([A-Z][A-Za-z0-9-]*[A-Z0-9][A-Za-z0-9-]*)\b", query
    )
    return asked[1] if asked and find_tool(asked[1]) is None else None


def objects_of(query: str) -> list[str]:
    """Objects and regions that a question names, in order; none where it is about the whole image."""
    found: list[str] = []
    spread = re.sub(rf"\s+(and|or)\s+(?!{_DETERMINERS}\b)", r" \1 the ", query, flags=re.IGNORECASE)
    for match in _OBJECT.finditer(spread):
        name = " ".join(match[1].split()).lower()
        words = name.split()
        if words[-1] not in _WHOLE | _MEASURES and not named_categories(words[-1]) and find_tool(name) is None:
            found.append(name)
    return list(dict.fromkeys(found))[:MAX_OBJECTS_BY_RULES]
