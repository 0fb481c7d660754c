"""The graph: state, nodes, the way back to the planner; executor and summarizer along it."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.pictures import page
from PIL import Image

from cosee.models.calls import ModelError
from cosee.quality.executor import Evidence, execute
from cosee.quality.graph import (
    AgenticIQAState,
    GraphError,
    assessment_graph,
    initial_state,
    plan_only,
    planner_graph,
    planner_node,
    state_record,
)
from cosee.quality.plan import PlannerOutput
from cosee.quality.planner import Planner
from cosee.quality.rules import objects_of, plan_by_rules
from cosee.quality.summarizer import CLASSES, fuse, missing_evidence, summarize
from cosee.quality.tools import TOOLS, find_tool
from cosee.quality.vlm_client import MockVLMClient


def run(image: Path, query: str, reference: Path | None = None, client: MockVLMClient | None = None) -> dict[str, Any]:
    state = initial_state(query, str(image), None if reference is None else str(reference))
    result: dict[str, Any] = assessment_graph(Planner(), client).invoke(state)
    return result


def test_the_state_has_four_keys_and_the_node_gives_the_plan_alone(sharp: Path) -> None:
    # contract: P19, P20
    state = initial_state("Is the vehicle blurry?", str(sharp))
    assert set(AgenticIQAState.__annotations__) == set(state) == {"query", "image_path", "reference_path", "plan"}
    given = planner_node(Planner())(state)
    assert set(given) == {"plan"} and isinstance(given["plan"], PlannerOutput)
    assert state["plan"] is None


def test_a_graph_of_the_planner_alone_runs(sharp: Path) -> None:
    # contract: P26
    result = plan_only(Planner()).invoke(initial_state("Is the vehicle blurry?", str(sharp)))
    assert result["plan"].query_scope == ["vehicle"]


def test_later_nodes_are_attached_by_conditional_edges(sharp: Path) -> None:
    # contract: P26
    from langgraph.graph import END

    graph = planner_graph(Planner())
    graph.add_node("mine", lambda state: {"replan_reason": state["plan"].query_type})
    graph.add_conditional_edges("planner", lambda state: "mine", {"mine": "mine"})
    graph.add_edge("mine", END)
    assert graph.compile().invoke(initial_state("Is it sharp?", str(sharp)))["replan_reason"] == "IQA"


def test_it_replans_twice_at_most_with_the_reason_fed_back(sharp: Path, vehicle: dict[str, Any]) -> None:
    # contract: P26
    vehicle |= {"required_tool": "SSIM"}
    client = MockVLMClient([json.dumps(vehicle)])
    planner = Planner(client=client)
    result = assessment_graph(planner).invoke(initial_state("What is the SSIM of the vehicle?", str(sharp)))
    assert len(client.prompts) == 2, "the second replan has the same reason: it is answered from the cache"
    assert "SSIM compares with a reference image, and none was given" in client.prompts[1]
    assert result["replans"] == 2 and result["summary"].sufficient is False
    assert "SSIM" in result["summary"].missing


def test_by_rules_a_tool_that_cannot_run_is_told_and_let_go(sharp: Path) -> None:
    result = run(sharp, "What is the SSIM of the table?")
    assert result["replans"] == 1 and result["plan"].required_tool is None
    assert result["summary"].sufficient and "SSIM compares with a reference image" in result["summary"].answer


def test_a_tool_that_the_user_names_runs(sharp: Path, blurred: Path) -> None:
    # contract: P17
    result = run(blurred, "What is the SSIM of the table?", reference=sharp)
    (ssim,) = result["evidence"].results
    assert ssim.tool == "SSIM" and 0 < ssim.value < 0.95 and "SSIM is 0." in result["summary"].answer
    named = plan_by_rules("Use PSNR: is the table blurry?", has_reference=True)
    off = named.model_copy(update={"plan": named.plan.model_copy(update={"tool_execution": False})})
    assert [each.tool for each in execute(off, str(blurred), str(sharp)).results or []] == ["PSNR"]


def test_no_reference_global_scope_and_several_objects(sharp: Path, blurred: Path) -> None:
    # contract: P32
    whole = run(blurred, "How good is the quality of this scan?")
    assert whole["plan"].query_scope == "Global" and whole["plan"].reference_mode == "No-Reference"
    assert "Blurs" in whole["evidence"].detected["Global"] and "Noise" not in whole["evidence"].detected["Global"]
    several = run(sharp, "Are the car and the building noisy?")
    assert several["plan"].distortions == {"car": ["Noise"], "building": ["Noise"]}
    assert set(several["evidence"].analysis) == {"car", "building"}


def test_flags_decide_what_the_executor_does(blurred: Path, vehicle: dict[str, Any]) -> None:
    # contract: P15, P16
    explicit = execute(PlannerOutput.model_validate(vehicle), str(blurred))
    assert (explicit.detected, explicit.results) == (None, None)
    (finding,) = (explicit.analysis or {})["vehicle"]
    assert finding.distortion == "Blurs" and finding.severity in ("moderate", "severe", "extreme")
    other = execute(plan_by_rules("How many cats are there?"), str(blurred))
    assert (other.detected, other.analysis, other.chosen, other.results) == (None, None, None, None)


@pytest.mark.parametrize(("grid", "size"), [(1000, (1000, 1000)), ("pixels", (1200, 800)), (1, (1, 1))])
def test_named_objects_are_located_by_the_models_boxes_and_measured_by_themselves(
    tmp_path: Path, vehicle: dict[str, Any], grid: Any, size: tuple[float, float]
) -> None:
    # contract: P32
    both = Image.new("RGB", (1200, 800), "white")
    both.paste(page(), (0, 0))
    both.paste(page(3.0), (600, 0))
    both.save(tmp_path / "both.png")
    names = ["left page", "right page", "stamp"]
    plan = PlannerOutput.model_validate(
        {**vehicle, "query_scope": names, "distortions": {name: ["Blurs"] for name in names}}
    )
    boxes = {"Left Page": (0.0, 0.0, 0.5, 1.0), "right page": (0.5, 0.0, 1.0, 1.0), "a dog": (0, 0, 1, 1)}
    said = [{"name": name, "bbox": [edge * side for edge, side in zip(box, size * 2, strict=True)]}
            for name, box in boxes.items()]  # fmt: skip
    client = MockVLMClient([json.dumps({"objects": said})])
    client.box_grid = grid
    found = execute(plan, str(tmp_path / "both.png"), client=client)
    assert found.located == {"left page": (0.0, 0.0, 0.5, 1.0), "right page": (0.5, 0.0, 1.0, 1.0)}
    severities = {name: each[0].severity for name, each in (found.analysis or {}).items()}
    assert severities["left page"] in ("none", "slight") and severities["right page"] in ("severe", "extreme")
    assert found.notes == ["stamp: not located; the whole image was measured"]
    assert "stamp" in client.prompts[0] and ("in its pixels" in client.prompts[0]) is (grid == "pixels")
    one = PlannerOutput.model_validate(
        {**vehicle, "query_scope": ["right page"], "distortions": {"right page": ["Blurs"]}}
    )
    whole, part = execute(one, str(tmp_path / "both.png")), execute(one, str(tmp_path / "both.png"), client=client)
    assert part.quality.scores["blur"] < whole.quality.scores["blur"], "tools run on the object"


def test_a_useless_reply_locates_nothing(sharp: Path, vehicle: dict[str, Any]) -> None:
    plan = PlannerOutput.model_validate(vehicle)
    tiny = json.dumps({"objects": [{"name": "vehicle", "bbox": [0.1, 0.1, 0.12, 0.12]}]})
    for reply in (
        "I see no vehicle.",
        '{"objects": [{"name": "vehicle", "bbox": [9, 9, 1, 1]}]}',
        tiny,
        ModelError(""),
    ):
        found = execute(plan, str(sharp), client=MockVLMClient([reply]))
        assert found.located is None and found.notes == ["vehicle: not located; the whole image was measured"]


def test_tools_are_chosen_by_what_they_tell_of(sharp: Path, blurred: Path) -> None:
    plan = plan_by_rules("Is it blurry?")
    assert (plan.query_scope, plan.plan.tool_selection) == ("Global", True)
    alone = execute(plan, str(blurred))
    assert alone.chosen == ["Overall", "EdgeWidth"]
    assert (execute(plan, str(blurred), str(sharp)).chosen or [])[2:6] == ["PSNR", "SSIM", "NRMSE", "NMI"]
    assert find_tool("no-such") is None and find_tool("ssim") is next(tool for tool in TOOLS if tool.name == "SSIM")


def test_an_unknown_tool_is_named_with_its_nearest(sharp: Path, vehicle: dict[str, Any]) -> None:
    plan = PlannerOutput.model_validate({**vehicle, "required_tool": "SIMS"})
    (result,) = execute(plan, str(sharp)).results or []
    assert result.score is None and result.error == "there is no tool 'SIMS'; did you mean 'SSIM'?"


def test_evidence_is_judged_by_the_flags_of_its_own_plan(sharp: Path, vehicle: dict[str, Any]) -> None:
    plan = PlannerOutput.model_validate(vehicle)
    evidence = execute(plan, str(sharp))
    assert missing_evidence(plan, evidence) is None, "no tool ran, and none was planned"
    asks_more = plan.model_copy(update={"plan": plan.plan.model_copy(update={"distortion_detection": True})})
    assert "detection" in (missing_evidence(asks_more, evidence) or "")
    assert missing_evidence(plan, None) == "nothing was executed"


def test_a_measured_score_and_a_models_view_are_fused() -> None:
    alone, shares = fuse([4.0])
    assert 3.5 < alone < 4.5 and max(shares, key=lambda name: shares[name]) == "good"
    lower, _ = fuse([4.0], {"bad": 0.0, "poor": 0.5, "fair": 0.5, "good": 0.0, "excellent": 0.0})
    assert 2.0 < lower < alone
    assert fuse([5.0, 1.0])[0] == fuse([3.0])[0]
    assert fuse([], {"excellent": 1.0}) == (5.0, dict.fromkeys(CLASSES, 0.0) | {"excellent": 1.0})
    assert abs(sum(fuse([2.2], {"good": 7.0, "poor": -1.0})[1].values()) - 1) < 1e-3


@pytest.mark.parametrize(
    ("query", "is_sharp", "begins"),
    [
        ("is the table readable?", True, "Yes"),
        ("is the table readable?", False, "No"),
        ("Is the text blurry?", False, "Yes"),
        ("Is the text blurry?", True, "No"),
        ("Is the text sharp?", True, "Yes"),
        ("Is the text sharp?", False, "No"),
    ],
)
def test_yes_or_no_is_right_either_way_round(
    sharp: Path, blurred: Path, query: str, is_sharp: bool, begins: str
) -> None:
    assert run(sharp if is_sharp else blurred, query)["summary"].answer.startswith(begins)


def test_a_models_answer_is_used_and_a_useless_one_is_not(blurred: Path) -> None:
    plan = plan_by_rules("Is the page readable?")
    evidence = execute(plan, str(blurred))
    view = {"answer": "Hardly.", "probabilities": {"bad": 0.8, "poor": 0.2}}
    told = summarize("Is the page readable?", plan, evidence, MockVLMClient([json.dumps(view)]))
    assert (told.answer, told.source) == ("Hardly.", "mock") and (told.score or 5) < 2.5
    for useless in ("Hardly.", '{"answer": ""}', ModelError("gone")):
        assert summarize("Is the page readable?", plan, evidence, MockVLMClient([useless])).source == "rules"


def test_another_question_gets_no_score(sharp: Path) -> None:
    # contract: P16
    result = run(sharp, "How many cats are there?")
    assert result["summary"].score is None and result.get("evidence") is None and result["summary"].sufficient


def test_the_states_record_is_under_a_kilobyte(sharp: Path, vehicle: dict[str, Any]) -> None:
    # contract: P35
    state = initial_state("Is the vehicle blurry? " + "ä" * 1500, "/a/very/long/" + "path/" * 200 + "image.png")
    state["plan"] = PlannerOutput.model_validate(vehicle)
    text = state_record(state)
    assert len(text.encode()) < 1024 and json.loads(text)["plan"] == vehicle
    assert json.loads(text)["query"].startswith("Is the vehicle blurry? ä")
    many = {f"object number {number:02d} with a long name": ["Blurs", "Noise"] for number in range(12)}
    state["plan"] = PlannerOutput.model_validate(vehicle | {"query_scope": list(many), "distortions": many})
    with pytest.raises(ValueError, match="1024 are allowed"):
        state_record(state)


def test_without_langgraph_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("langgraph"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(GraphError, match=r"pip install 'cosee\[quality\]'"):
        plan_only(Planner())


@pytest.mark.parametrize(
    ("query", "objects"),
    [
        ("is the table readable?", ["table"]),
        ("Is this image too dark?", []),
        ("Are the left table and the chart legible?", ["left table", "chart"]),
        ("What is the sharpness of the text in the figure?", ["text", "figure"]),
        ("Rate the quality.", []),
        ("Does the logo look compressed?", ["logo"]),
    ],
)
def test_objects_are_what_the_question_is_about(query: str, objects: list[str]) -> None:
    # contract: P7
    assert objects_of(query) == objects


def test_an_evidence_record_survives_json(blurred: Path) -> None:
    evidence = execute(plan_by_rules("Rate the quality"), str(blurred))
    assert Evidence.model_validate_json(evidence.model_dump_json()) == evidence
