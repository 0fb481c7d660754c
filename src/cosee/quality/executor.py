"""The executor: looks for distortions, analyses them, chooses tools and runs them, as a plan's flags say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from cosee.artifacts.base import BBox, Record
from cosee.artifacts.documents.picture_quality import Distortion, PictureQuality
from cosee.geometry import sides
from cosee.imaging.measure import measure_picture
from cosee.quality import thresholds
from cosee.quality.distortions import CATEGORIES, severity_of
from cosee.quality.image_file import open_image
from cosee.quality.locating import locate
from cosee.quality.plan import GLOBAL, PlannerOutput
from cosee.quality.tools import Subject, ToolError, applicable, find_tool, nearest
from cosee.quality.vlm_client import VLMClient

if TYPE_CHECKING:
    from PIL.Image import Image


class Finding(Record):
    """One distortion of one object; ``score`` is None where it cannot be measured."""

    distortion: str
    severity: str
    score: float | None
    explanation: str


class ToolResult(Record):
    """What one tool said, or why it did not run."""

    tool: str
    value: float | None = None
    unit: str = ""
    score: float | None = None
    """1..5."""
    error: str | None = None


class Evidence(Record):
    """What the executor found; a part that the plan left out is None."""

    quality: PictureQuality
    """Of the image; where the plan is about one object that was located, of that."""
    located: dict[str, BBox] | None = None
    """Object -> its box in 0..1 of the image, by the model's reply."""
    detected: dict[str, list[str]] | None = None
    """Object -> distortions that were seen."""
    analysis: dict[str, list[Finding]] | None = None
    chosen: list[str] | None = None
    """Tools chosen for the plan."""
    results: list[ToolResult] | None = None
    notes: list[str] = Field(default_factory=list)


def execute(
    plan: PlannerOutput, image_path: str, reference_path: str | None = None, client: VLMClient | None = None
) -> Evidence:
    """Carry a plan out by measured statistics.

    Objects are located by ``client``, and each is measured by itself. For one that is not, the whole image stands, and
    a note says so. A tool that the user names runs whatever the flags say: on the object where there is one and it was
    located, else on the whole image.

    Raises:
        ImageFileError: an image cannot be read.
    """
    image = open_image(image_path).image
    reference = None if reference_path is None else open_image(reference_path).image
    located = _located(plan, image, client)
    parts = {name: measure_picture(image.crop(_pixels(box, image))) for name, box in located.items()}
    box = located.get(plan.objects[0]) if len(plan.objects) == 1 else None
    subject = _subject(image, reference, box)
    evidence = Evidence(quality=subject.quality, located=located or None)
    flags = plan.plan
    missing = [name for name in plan.objects if name not in located]
    if plan.query_type == "IQA" and missing and plan.objects != [GLOBAL]:
        evidence.notes.append(f"{', '.join(missing)}: not located; the whole image was measured")
    quality_of = {name: parts.get(name, subject.quality) for name in plan.objects}
    if flags.distortion_detection:
        evidence.detected = {
            name: [each for each, statistic in CATEGORIES.items() if _is_seen(statistic, quality)]
            for name, quality in quality_of.items()
        }
    if flags.distortion_analysis:
        evidence.analysis = _analysed(plan, evidence, quality_of)
    tools = _tools(plan, subject, evidence)
    if tools or flags.tool_execution:
        evidence.results = [_run(name, subject) for name in tools]
    return evidence


def _located(plan: PlannerOutput, image: Image, client: VLMClient | None) -> dict[str, BBox]:
    """The boxes of the plan's objects that are large enough to be measured."""
    if client is None or plan.query_type != "IQA" or plan.objects == [GLOBAL]:
        return {}
    found = locate(client, image, plan.objects)
    return {name: box for name, box in found.items() if min(sides(_pixels(box, image))) >= thresholds.MIN_MEASURED_SIDE}


def _pixels(box: BBox, image: Image) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    return (
        int(left * image.width), int(top * image.height), round(right * image.width), round(bottom * image.height),
    )  # fmt: skip


def _subject(image: Image, reference: Image | None, box: BBox | None) -> Subject:
    """What tools run on: the located object of both images, else these."""
    if box is not None:
        if reference is not None and reference.size == image.size:
            reference = reference.crop(_pixels(box, image))
        image = image.crop(_pixels(box, image))
    return Subject(image, measure_picture(image), reference)


def _is_seen(statistic: Distortion, quality: PictureQuality) -> bool:
    return statistic in quality.scores and quality.scores[statistic] < thresholds.SEEN_BELOW


def _analysed(
    plan: PlannerOutput, evidence: Evidence, quality_of: Mapping[str, PictureQuality]
) -> dict[str, list[Finding]]:
    """Severity of the distortions that the question names, else of those that were seen, object by object."""
    wanted = plan.distortions or evidence.detected or {}
    return {name: [_finding(each, quality) for each in wanted.get(name, [])] for name, quality in quality_of.items()}


def _finding(category: str, quality: PictureQuality) -> Finding:
    statistic = CATEGORIES.get(category)
    if statistic is None or statistic not in quality.scores:
        known = statistic is not None
        why = "the image shows too little to measure it" if known else "there is no statistic that tells of it"
        return Finding(distortion=category, severity="unknown", score=None, explanation=why)
    score, explanation = quality.scores[statistic], _explained(category, quality)
    return Finding(distortion=category, severity=severity_of(score), score=score, explanation=explanation)


def _explained(category: str, quality: PictureQuality) -> str:
    """The statistic behind a score, in words."""
    letters = f", letters are {quality.x_height:g} pixels high" if quality.x_height else ""
    texts = {
        "Blurs": f"edges are {quality.edge_width:g} pixels wide{letters}" if quality.edge_width else "",
        "Noise": f"noise of {quality.noise:g} grey levels",
        "Compression": f"steps on the grid of blocks are {quality.blockiness or 0:.0%} larger than elsewhere",
        "Contrast": f"{quality.contrast:g} grey levels between ink and paper",
        "Brightness change": f"the lightest parts have grey level {quality.brightness:g} of 255",
        "Color distortions": f"the lightest parts differ by {quality.colour_cast or 0:g} levels between channels",
        "Small text": f"small letters are {quality.x_height or 0:g} pixels high",
        "Spatial distortions": f"lines of text are {abs(quality.skew):g} degrees off",
    }
    return texts[category]


def _tools(plan: PlannerOutput, subject: Subject, evidence: Evidence) -> list[str]:
    """Names of the tools to run: the one asked for, else those that tell of the plan's distortions."""
    if plan.required_tool is not None:
        return [plan.required_tool]
    if not plan.plan.tool_selection:
        return []
    wanted = plan.distortions or evidence.detected or {}
    named = {each for distortions in wanted.values() for each in distortions}
    statistics = frozenset(CATEGORIES[name] for name in named if name in CATEGORIES)
    evidence.chosen = [tool.name for tool in applicable(subject, statistics)]
    return evidence.chosen if plan.plan.tool_execution else []


def _run(name: str, subject: Subject) -> ToolResult:
    tool = find_tool(name)
    if tool is None:
        return ToolResult(tool=name, error=f"there is no tool {name!r}; did you mean {nearest(name)!r}?")
    try:
        refusal = tool.refusal(subject)
        if refusal is not None:
            raise ToolError(refusal)
        score = tool.run(subject)
    except ToolError as error:
        return ToolResult(tool=tool.name, error=str(error))
    return ToolResult(tool=tool.name, value=round(score.value, 3), unit=score.unit, score=score.score)
