"""The models of a plan: what they take, what they refuse and in which words, and the rules of the flags."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from cosee.quality.plan import PlannerOutput, corrected_plan, flags_for
from cosee.quality.planner import read_plan


def flags(plan: PlannerOutput) -> str:
    return "".join("T" if on else "F" for on in flags_for(plan).model_dump().values())


def changed(vehicle: dict[str, Any], **fields: Any) -> PlannerOutput:
    return PlannerOutput.model_validate({**vehicle, **fields})


def test_a_plan_is_read_whatever_its_case_and_written_canonically(vehicle: dict[str, Any]) -> None:
    # contract: P6, P8, P10
    spoken = {"query_type": "iqa", "distortion_source": "EXPLICIT", "reference_mode": "no reference"}
    plan = changed(vehicle, **spoken, distortions={"Vehicle": ["blurry", "Blurs"]})
    assert plan.model_dump(mode="json") == vehicle


@pytest.mark.parametrize(
    ("field", "value"),
    [("query_type", "Quality"), ("distortion_source", "Guessed"), ("reference_mode", "Half-Reference")],
)
def test_another_word_is_refused_with_its_field(vehicle: dict[str, Any], field: str, value: str) -> None:
    # contract: P6, P8, P13
    with pytest.raises(ValueError, match=rf"{field}.*{value}"):
        read_plan(json.dumps({**vehicle, field: value}))


def test_a_scope_is_a_list_or_global(vehicle: dict[str, Any]) -> None:
    # contract: P7
    assert changed(vehicle, query_scope="GLOBAL", distortions={"Global": ["Noise"]}).query_scope == "Global"
    for wrong in ("vehicle", [], [""], None):
        with pytest.raises(ValidationError, match="query_scope"):
            changed(vehicle, query_scope=wrong)


def test_distortions_have_the_scope_as_keys_or_are_null(vehicle: dict[str, Any]) -> None:
    # contract: P9
    assert changed(vehicle, distortion_source="Inferred", distortions=None).distortions is None
    with pytest.raises(ValidationError, match=r"its keys \['tree'\] are not the query_scope \['vehicle'\]"):
        changed(vehicle, distortions={"tree": ["Blurs"]})
    with pytest.raises(ValidationError, match="Explicit"):
        changed(vehicle, distortions=None)
    with pytest.raises(ValidationError, match=r"distortions\.vehicle"):
        changed(vehicle, distortions={"vehicle": "Blurs"})


def test_a_tool_is_a_name_a_list_of_one_or_null(vehicle: dict[str, Any]) -> None:
    # contract: P11
    assert changed(vehicle, required_tool="SSIM").required_tool == "SSIM"
    assert changed(vehicle, required_tool=["SSIM"]).required_tool == "SSIM"
    assert changed(vehicle, required_tool=[]).required_tool is None
    with pytest.raises(ValidationError, match="required_tool"):
        changed(vehicle, required_tool=["SSIM", "PSNR"])


@pytest.mark.parametrize("name", ["distortion_detection", "distortion_analysis", "tool_selection", "tool_execution"])
def test_each_flag_has_to_be_given_as_a_boolean(vehicle: dict[str, Any], name: str) -> None:
    # contract: P12
    given = vehicle["plan"]
    with pytest.raises(ValidationError, match=name):
        changed(vehicle, plan={key: value for key, value in given.items() if key != name})
    with pytest.raises(ValidationError, match=name):
        changed(vehicle, plan={**given, name: "true"})


def test_tool_execute_is_another_name_of_the_last_flag(vehicle: dict[str, Any]) -> None:
    # contract: P12
    given = {**vehicle["plan"], "tool_execute": True}
    del given["tool_execution"]
    assert changed(vehicle, plan=given).plan.tool_execution is True


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("Here is the plan: {}", "not one JSON object and nothing else"),
        ("```json\n{}\n```", "not one JSON object and nothing else"),
        ("{} and that is all", "not one JSON object and nothing else"),
        ("", "not one JSON object"),
        ("[]", "a JSON list, not an object"),
        ('{"query_type": NaN}', "no JSON"),
        ("{}", "query_type: Field required"),
    ],
)
def test_a_reply_that_is_no_plan_says_what_is_wrong(reply: str, complaint: str) -> None:
    # contract: P13
    with pytest.raises(ValueError, match=complaint):
        read_plan(reply)


def test_a_missing_and_an_unknown_field_are_named(vehicle: dict[str, Any]) -> None:
    # contract: P13
    with pytest.raises(ValueError, match="mood: Extra inputs are not permitted"):
        read_plan(json.dumps({**vehicle, "mood": "fine"}))
    del vehicle["reference_mode"]
    with pytest.raises(ValueError, match="reference_mode: Field required"):
        read_plan(json.dumps(vehicle))


def test_a_plan_survives_json(vehicle: dict[str, Any]) -> None:
    # contract: P14
    plan = PlannerOutput.model_validate(vehicle)
    assert PlannerOutput.model_validate_json(plan.model_dump_json()) == plan
    assert json.loads(plan.model_dump_json()) == vehicle


def test_named_distortions_are_not_looked_for(vehicle: dict[str, Any]) -> None:
    # contract: P15
    assert flags_for(changed(vehicle)).distortion_detection is False
    assert flags_for(changed(vehicle, distortion_source="Inferred", distortions=None)).distortion_detection is True


def test_another_question_runs_nothing(vehicle: dict[str, Any]) -> None:
    # contract: P16
    assert flags(changed(vehicle, query_type="Other")) == "FFFF"


@pytest.mark.parametrize(
    ("region", "tool", "selection_and_execution"),
    [(True, True, "FT"), (True, False, "FF"), (False, True, "FT"), (False, False, "TT")],
)
def test_region_and_tool_decide_which_tools_run(
    vehicle: dict[str, Any], region: bool, tool: bool, selection_and_execution: str
) -> None:
    # contract: P17
    where = ("vehicle", ["vehicle"]) if region else ("Global", "Global")
    fields = {"query_scope": where[1], "distortions": {where[0]: ["Blurs"]}, "required_tool": "SSIM" if tool else None}
    assert flags(changed(vehicle, **fields))[2:] == selection_and_execution


def test_a_plan_is_brought_to_its_rules(vehicle: dict[str, Any]) -> None:
    # contract: P15, P18
    wrong = changed(vehicle, plan={**vehicle["plan"], "distortion_detection": True})
    plan, corrected = corrected_plan(wrong, has_reference=True)
    assert plan.reference_mode == "Full-Reference" and plan.plan.distortion_detection is False
    assert corrected == ["reference_mode", "plan"]
    assert corrected_plan(changed(vehicle), has_reference=False) == (changed(vehicle), [])
