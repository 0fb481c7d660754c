"""``cosee quality IMAGE QUESTION``: plan, measure, answer."""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.quality import QualitySettings
from cosee.commands.console import line, show_table
from cosee.models.calls import ModelError
from cosee.models.registry import MODELS_FILE, load_models
from cosee.pipeline.config import read_config
from cosee.quality.event_log import EventLog
from cosee.quality.executor import Evidence
from cosee.quality.graph import AssessmentState, assessment_graph, initial_state
from cosee.quality.plan import GLOBAL, PlannerInput, PlannerOutput
from cosee.quality.planner import Planner
from cosee.quality.summarizer import Summary
from cosee.quality.vlm_client import VLMClient, open_vlm_client

EMBEDDED = "embedded"


def quality(
    image: Path,
    question: str,
    console: Console,
    *,
    reference: Path | None,
    model: str | None,
    as_json: bool,
    log: Path | None,
    config: Path | None,
) -> int:
    """Answer and print; returns 0, or 1 where the evidence did not suffice.

    Raises:
        PlannerError: an image cannot be used, or no backend gave a valid plan.
        GraphError: langgraph is not installed.
        ModelError: the model is not known, or sees no images.
    """
    settings = read_config(config).quality if config is not None else QualitySettings()
    if model is not None:
        settings = settings.model_copy(update={"backend": model})
    client = _client(settings.backend)
    fallback = None if settings.fallback_backend is None else _client(settings.fallback_backend)
    planner = Planner(settings, client, fallback, log=EventLog(log))
    path, original = str(image), None if reference is None else str(reference)
    try:
        PlannerInput(query=question, image_path=path, reference_path=original)
    except ValidationError as error:
        raise ArtifactError(f"quality: {error.errors()[0]['loc'][0]}: {error.errors()[0]['msg']}") from error
    state: AssessmentState = assessment_graph(planner, client).invoke(initial_state(question, path, original))
    plan, evidence, summary = state["plan"], state.get("evidence"), state.get("summary")
    assert plan is not None and summary is not None
    if as_json:
        found = {"plan": plan, "evidence": evidence, "summary": summary}
        values = {name: each.model_dump(mode="json") if each is not None else None for name, each in found.items()}
        sys.stdout.write(files.canonical_json(values) + "\n")
    else:
        _show(console, plan, evidence, summary)
    return 0 if summary.sufficient else 1


def _client(name: str) -> VLMClient | None:
    if name == EMBEDDED:
        return None
    if not MODELS_FILE.is_file():
        raise ModelError(f"{MODELS_FILE} is not there; it names the models")
    return open_vlm_client(name, load_models(MODELS_FILE))


def _show(console: Console, plan: PlannerOutput, evidence: Evidence | None, summary: Summary) -> None:
    line(console, summary.answer, style="bold")
    flags = [name.replace("_", " ") for name, on in plan.plan.model_dump().items() if on]
    scope = "the whole image" if plan.objects == [GLOBAL] else ", ".join(plan.objects)
    line(
        console, f"plan: {plan.query_type} about {scope}, {plan.reference_mode}; {', '.join(flags) or 'nothing to run'}"
    )
    if evidence is not None:
        rows = [(name.replace("_", " "), score) for name, score in evidence.quality.scores.items()]
        show_table(console, "Measured", ("statistic", "score of 5#"), rows)
        results = [(each.tool, each.value, each.unit, each.score, each.error) for each in evidence.results or []]
        if results:
            show_table(console, "Tools", ("tool", "value#", "unit", "score#", "error"), results)
    if summary.missing:
        line(console, f"The evidence does not suffice: {summary.missing}", style="yellow")
