"""The summarizer: one score from measures and the model's own view, an answer in words, and what evidence lacks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from cosee.artifacts.base import Record
from cosee.artifacts.documents.picture_quality import Distortion
from cosee.models.calls import ModelError
from cosee.models.messages import as_data
from cosee.quality import thresholds
from cosee.quality.distortions import severity_of
from cosee.quality.executor import Evidence, ToolResult
from cosee.quality.plan import GLOBAL, PlannerOutput
from cosee.quality.prompts import SUMMARIZE, filled, question_as_data
from cosee.quality.vlm_client import VLMClient

if TYPE_CHECKING:
    from PIL.Image import Image

CLASSES = ("bad", "poor", "fair", "good", "excellent")
"""Quality classes of 1..5. General knowledge: the five grades of ITU-R BT.500."""
HINDERS_READING: tuple[Distortion, ...] = (
    "blur",
    "noise",
    "low_contrast",
    "darkness",
    "small_text",
    "skew",
    "blocking",
)
"""What keeps text from being read."""
_ABOUT_READING = re.compile(r"\b(?:legib|illegib|readab|unreadab|read|ocr)\w*", re.IGNORECASE)
_YES_NO = re.compile(r"^\s*(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should)\b", re.IGNORECASE)
# General knowledge: adjectives for good quality.
_PRAISE = re.compile(
    r"\b(?:sharp|crisp|in focus|clean|clear|bright enough|straight|good|fine|acceptable|usable|ok|okay)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|un|too|isn't|aren't)\s", re.IGNORECASE)


class ModelView(Record):
    """What the summarizer's model replies."""

    answer: str = Field(min_length=1, max_length=2000)
    probabilities: dict[str, float]


class Summary(Record):
    """The answer; ``score`` (1..5) is None for a question that is not about quality."""

    answer: str
    score: float | None = None
    quality_class: str | None = None
    probabilities: dict[str, float] = Field(default_factory=dict)
    """Of the five classes, after fusion."""
    sufficient: bool = True
    missing: str | None = None
    """What the evidence lacks of what the plan asked for: the reason of a replan."""
    source: str = "rules"
    """``rules``, or the model that wrote the answer."""


def missing_evidence(plan: PlannerOutput, evidence: Evidence | None) -> str | None:
    """What the plan's own flags asked for and the evidence does not hold; None where it suffices."""
    flags = plan.plan
    if evidence is None:
        return "nothing was executed" if any(flags.model_dump().values()) else None
    if flags.distortion_detection and evidence.detected is None:
        return "distortion detection was planned and gave nothing"
    if flags.distortion_analysis and evidence.analysis is None:
        return "distortion analysis was planned and gave nothing"
    if flags.tool_selection and not evidence.chosen:
        return "tool selection was planned and found no tool that applies"
    if flags.tool_execution:
        results = evidence.results or []
        if not any(result.score is not None for result in results):
            errors = "; ".join(result.error for result in results if result.error)
            return f"tool execution was planned and gave no score: {errors or 'no tool ran'}"
    return None


def fuse(measured: Sequence[float], probabilities: Mapping[str, float] | None = None) -> tuple[float, dict[str, float]]:
    """Measured scores of 1..5 and a model's class probabilities as one score and the classes' probabilities.

    A class c has the weight exp(-CLASS_SHARPNESS * (m - c)^2), m the mean of the measured scores; weights are
    multiplied with the model's probabilities (equal ones without a model) and add up to 1; the score is their mean
    class. Where the two exclude each other, or nothing was measured, the one that says something decides.
    """
    given = [max(0.0, (probabilities or {}).get(name, 0.0)) for name in CLASSES]
    model = [each / sum(given) for each in given] if sum(given) > 0 else [1 / len(CLASSES)] * len(CLASSES)
    weights = [1.0] * len(CLASSES)
    if measured:
        mean = sum(measured) / len(measured)
        weights = [
            math.exp(-thresholds.CLASS_SHARPNESS * (mean - number) ** 2) for number in range(1, len(CLASSES) + 1)
        ]
    joint = [weight * share for weight, share in zip(weights, model, strict=True)]
    total = sum(joint)
    shares = [each / total for each in joint] if total > thresholds.NO_WEIGHT else model
    score = sum(number * share for number, share in enumerate(shares, start=1))
    return round(score, 2), {name: round(share, 4) for name, share in zip(CLASSES, shares, strict=True)}


def summarize(
    query: str,
    plan: PlannerOutput,
    evidence: Evidence | None,
    client: VLMClient | None = None,
    image: Image | None = None,
    *,
    replanned: str | None = None,
) -> Summary:
    """The answer to the question. A model's reply that cannot be used is replaced by the rules' answer.

    ``replanned`` says why the plan before this one was not enough; the answer tells it.
    """
    if plan.query_type == "Other" or evidence is None:
        return Summary(
            answer="This question is not about the quality of the image; ask about sharpness, noise, compression, "
            "contrast, exposure, colour or legibility.",
            missing=None if plan.query_type == "Other" else missing_evidence(plan, evidence),
            sufficient=plan.query_type == "Other",
        )
    view = None if client is None else _asked(client, query, evidence, image)
    score, shares = fuse(_scores(evidence), view.probabilities if view is not None else None)
    missing = missing_evidence(plan, evidence)
    if replanned is not None:
        evidence = evidence.model_copy(update={"notes": [*evidence.notes, replanned]})
    return Summary(
        answer=view.answer if view is not None else answer_by_rules(query, plan, evidence, score),
        score=score,
        quality_class=_class_of(score),
        probabilities=shares,
        sufficient=missing is None,
        missing=missing,
        source=client.name if view is not None and client is not None else "rules",
    )


def answer_by_rules(query: str, plan: PlannerOutput, evidence: Evidence, score: float) -> str:
    """An answer without a model: yes or no where that is asked, and the measurements that say so."""
    quality = evidence.quality
    subject = ", ".join(plan.objects) if plan.objects != [GLOBAL] else "image"
    parts: list[str] = []
    if plan.distortion_source == "Explicit":
        parts.append(_explicit(query, plan, evidence))
    elif _ABOUT_READING.search(query):
        scores = {name: quality.scores[name] for name in HINDERS_READING if name in quality.scores}
        worst, least = min(scores.items(), key=lambda pair: pair[1])
        verdict = "Yes" if least >= thresholds.READABLE else "Barely" if least >= thresholds.BARELY_READABLE else "No"
        hinder = (
            "nothing measured hinders reading" if verdict == "Yes" else f"{worst.replace('_', ' ')} hinders it most"
        )
        size = (
            f"small letters are {quality.x_height:g} pixels high" if quality.x_height else "no lines of text were found"
        )
        parts.append(f"{verdict}: {hinder}; {size}.")
    else:
        parts.append(f"The quality of the {subject} is {_class_of(score)}.")
    findings = [each for group in (evidence.analysis or {}).values() for each in group]
    told = list(dict.fromkeys(f"{each.distortion}: {each.severity} ({each.explanation})" for each in findings))
    if told:
        parts.append(f"{'; '.join(told)}.")
    elif evidence.detected is not None:
        parts.append("No distortion was found.")
    parts += [_told(result) for result in evidence.results or [] if plan.required_tool or result.error]
    parts.append(f"Score {score:g} of 5.")
    parts += [f"Note: {note}." for note in evidence.notes]
    return " ".join(parts)


def _class_of(score: float) -> str:
    return CLASSES[min(4, max(0, round(score) - 1))]


def _explicit(query: str, plan: PlannerOutput, evidence: Evidence) -> str:
    """Yes or no to whether there is a distortion, or to whether there is none ("is it sharp?")."""
    findings = [each for group in (evidence.analysis or {}).values() for each in group]
    scores = [each.score for each in findings if each.score is not None]
    names = " and ".join(dict.fromkeys(each.distortion for each in findings))
    if not scores:
        return f"{names} cannot be measured on this image."
    worst = severity_of(min(scores))
    present = worst not in ("none", "slight")
    if not _YES_NO.match(query):
        return f"{names}: {worst}."
    praised = bool(_PRAISE.search(query)) and not _NEGATED.search(query)
    return f"{'Yes' if present != praised else 'No'}: {names.lower()} {'are' if names.endswith('s') else 'is'} {worst}."


def _told(result: ToolResult) -> str:
    if result.error:
        return f"{result.tool} did not run: {result.error}."
    return f"{result.tool} is {result.value:g} {result.unit}".rstrip() + "."


def _scores(evidence: Evidence) -> list[float]:
    """Scores of the tools that ran and of the distortions that were analysed; else the overall one."""
    found = [result.score for result in evidence.results or [] if result.score is not None]
    found += [each.score for group in (evidence.analysis or {}).values() for each in group if each.score is not None]
    return found or [evidence.quality.score]


def _asked(client: VLMClient, query: str, evidence: Evidence, image: Image | None) -> ModelView | None:
    shown = evidence.model_dump_json(exclude_none=True)
    prompt = filled(SUMMARIZE, query=question_as_data(query), evidence=as_data(shown))
    try:
        reply = client.generate(prompt, image, max_tokens=thresholds.REPLY_TOKENS)
        return ModelView.model_validate(json.loads(reply))
    except (ModelError, ValidationError, ValueError):
        return None
