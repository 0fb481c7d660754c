"""What a planner is given and what leaves it: strict models, and the rules that tie a plan's flags to its fields."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

from cosee.artifacts.base import Record
from cosee.quality.distortions import canonical

GLOBAL = "Global"
Text = Annotated[str, Field(min_length=1, max_length=80)]
MAX_OBJECTS = 12


def _canonical_literal(*names: str) -> BeforeValidator:
    """Reads one of ``names`` whatever its case, and blanks or underscores where it has a hyphen."""
    known = {re.sub(r"[\s_-]", "", name.lower()): name for name in names}

    def read(value: Any) -> Any:
        return known.get(re.sub(r"[\s_-]", "", value.lower()), value) if isinstance(value, str) else value

    return BeforeValidator(read)


QueryType = Annotated[Literal["IQA", "Other"], _canonical_literal("IQA", "Other")]
Source = Annotated[Literal["Explicit", "Inferred"], _canonical_literal("Explicit", "Inferred")]
ReferenceMode = Annotated[
    Literal["Full-Reference", "No-Reference"], _canonical_literal("Full-Reference", "No-Reference")
]
Scope = Annotated[list[Text] | Literal["Global"], _canonical_literal(GLOBAL)]


class PlannerInput(Record):
    """A question about one image; ``reference_path`` is a flawless version of it."""

    model_config = ConfigDict(str_strip_whitespace=True)

    query: str = Field(min_length=1, max_length=2000)
    image_path: str = Field(min_length=1, max_length=4096)
    reference_path: str | None = Field(None, min_length=1, max_length=4096)


class PlanControlFlags(Record):
    """Which steps of the executor run; all four have to be given."""

    model_config = ConfigDict(populate_by_name=True)

    distortion_detection: StrictBool
    distortion_analysis: StrictBool
    tool_selection: StrictBool
    tool_execution: StrictBool = Field(validation_alias=AliasChoices("tool_execution", "tool_execute"))


class PlannerOutput(Record):
    """A plan. Names are read whatever their case and written canonically."""

    model_config = ConfigDict(str_strip_whitespace=True)

    query_type: QueryType
    query_scope: Scope
    distortion_source: Source
    distortions: dict[Text, list[Text]] | None = Field(max_length=MAX_OBJECTS)
    reference_mode: ReferenceMode
    required_tool: str | None = Field(min_length=1, max_length=80)
    plan: PlanControlFlags

    @model_validator(mode="before")
    @classmethod
    def _one_tool(cls, value: Any) -> Any:
        """A list of one tool is that tool."""
        tools = value.get("required_tool") if isinstance(value, dict) else None
        if isinstance(tools, list) and len(tools) <= 1:
            return {**value, "required_tool": tools[0] if tools else None}
        return value

    @model_validator(mode="after")
    def _check(self) -> PlannerOutput:
        if self.query_scope != GLOBAL and not 1 <= len(self.query_scope) <= MAX_OBJECTS:
            raise ValueError(f"query_scope: expected 'Global' or 1 to {MAX_OBJECTS} objects")
        if self.distortions is None:
            if self.query_type == "IQA" and self.distortion_source == "Explicit":
                raise ValueError(
                    "distortions: null, but distortion_source 'Explicit' says that the question names some"
                )
            return self
        wanted = self.objects
        keys = {" ".join(key.lower().split()): key for key in self.distortions}
        if set(keys) != {name.lower() for name in wanted}:
            raise ValueError(f"distortions: its keys {sorted(self.distortions)} are not the query_scope {wanted}")
        found = {name: self.distortions[keys[name.lower()]] for name in wanted}
        if self.distortion_source == "Explicit" and not all(found.values()):
            raise ValueError("distortions: an empty list, but distortion_source is 'Explicit'")
        self.distortions = {name: list(dict.fromkeys(map(canonical, names))) for name, names in found.items()}
        return self

    @property
    def objects(self) -> list[str]:
        """The scope as a list; the whole image is one object, ``Global``."""
        return [GLOBAL] if self.query_scope == GLOBAL else [" ".join(name.split()) for name in self.query_scope]


def flags_for(plan: PlannerOutput) -> PlanControlFlags:
    """The flags that the other fields call for.

    A question about something else runs nothing. Distortions that the question names are not looked for, only analysed.
    Tools are selected where neither a region nor a tool is named, and run there or where a tool is named.
    """
    if plan.query_type == "Other":
        return _flags(False, False, False, False)
    region, tool = plan.query_scope != GLOBAL, plan.required_tool is not None
    return _flags(plan.distortion_source == "Inferred", True, not region and not tool, tool or not region)


def _flags(detection: bool, analysis: bool, selection: bool, execution: bool) -> PlanControlFlags:
    return PlanControlFlags(
        distortion_detection=detection,
        distortion_analysis=analysis,
        tool_selection=selection,
        tool_execution=execution,
    )


def corrected_plan(plan: PlannerOutput, *, has_reference: bool) -> tuple[PlannerOutput, list[str]]:
    """The plan with the flags and the reference mode that follow from it and from what was given, and what that
    changed: these are no opinions, and a model that gets one wrong need not be asked again."""
    mode: Literal["Full-Reference", "No-Reference"] = "Full-Reference" if has_reference else "No-Reference"
    found = plan.model_copy(update={"reference_mode": mode, "plan": flags_for(plan)})
    changed = [name for name in ("reference_mode", "plan") if getattr(found, name) != getattr(plan, name)]
    return found, changed
