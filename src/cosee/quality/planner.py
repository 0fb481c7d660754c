"""The planner of image-quality questions: a question and an image in, a checked plan out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.quality import QualitySettings
from cosee.models.calls import ModelError
from cosee.models.messages import as_data
from cosee.quality.event_log import EventLog
from cosee.quality.image_file import ImageFile, ImageFileError, open_image
from cosee.quality.plan import PlannerInput, PlannerOutput, corrected_plan
from cosee.quality.prompts import PLAN, STRICTER, filled, question_as_data
from cosee.quality.rules import plan_by_rules
from cosee.quality.thresholds import MAX_FIELDS_AT_FAULT, MAX_PROMPT_ERROR, MAX_QUOTED_REPLY
from cosee.quality.vlm_client import VLMClient


class PlannerFault(Record):
    """Why there is no plan: for programs."""

    kind: Literal["image", "model", "invalid_output"]
    message: str
    attempts: int = 0


class PlannerError(RuntimeError):
    """No plan. ``fault`` says why; the message names the last error of each backend that was asked."""

    def __init__(self, fault: PlannerFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Planner:
    """Plans with ``client``, by rules where it is None; ``fallback`` is asked where the client gave no valid plan.

    ``cache`` is a folder that keeps plans by question, image bytes and all else that a plan depends on; without it they
    are kept for the planner's lifetime. ``roots`` bounds where images may lie (see ``open_image``).
    """

    def __init__(
        self,
        settings: QualitySettings | None = None,
        client: VLMClient | None = None,
        fallback: VLMClient | None = None,
        *,
        cache: Path | None = None,
        log: EventLog | None = None,
        roots: Sequence[Path] = (),
    ) -> None:
        self.settings = settings or QualitySettings()
        self.client, self.fallback = client, fallback
        self.roots = roots
        self.calls = 0
        """Model calls so far."""
        self._cache = cache
        self._known: dict[str, PlannerOutput] = {}
        self._log = log or EventLog()

    def plan(self, question: PlannerInput, replan_reason: str | None = None) -> PlannerOutput:
        """The plan for a question. ``replan_reason`` says why the plan before was not enough.

        Raises:
            PlannerError: an image cannot be used, or no backend gave a valid plan.
        """
        image = self._open(question.image_path)
        reference = None if question.reference_path is None else self._open(question.reference_path)
        key = self._key(question.query, image, reference, replan_reason)
        known = self._recall(key)
        if known is not None:
            self._log.add("plan", source="cache", image_sha256=image.sha256)
            return known
        plan, source = self._make(question.query, image, reference, replan_reason)
        plan, corrected = corrected_plan(plan, has_reference=reference is not None)
        self._log.add(
            "plan",
            source=source,
            query=question.query,
            image_sha256=image.sha256,
            corrected=corrected,
            plan=plan.model_dump(mode="json"),
        )
        self._remember(key, plan)
        return plan

    def _open(self, path: str) -> ImageFile:
        try:
            return open_image(path, self.roots)
        except ImageFileError as error:
            self._log.add("refused", reason=str(error))
            raise PlannerError(PlannerFault(kind="image", message=str(error))) from error

    def _make(
        self, query: str, image: ImageFile, reference: ImageFile | None, reason: str | None
    ) -> tuple[PlannerOutput, str]:
        if self.client is None:
            return plan_by_rules(query, has_reference=reference is not None, replan_reason=reason), "rules"
        prompt = prompt_for(query, has_reference=reference is not None, replan_reason=reason)
        errors: list[str] = []
        kind: Literal["model", "invalid_output"] = "model"
        before = self.calls
        for client in (self.client, self.fallback):
            if client is None:
                continue
            found = self._ask(client, prompt, image)
            if isinstance(found, PlannerOutput):
                return found, client.name
            errors.append(f"{client.name}: {found.message}")
            kind = "invalid_output" if found.kind == "invalid_output" else kind
        attempts = self.calls - before
        message = f"no valid plan after {attempts} calls ({'; '.join(errors)})"
        raise PlannerError(PlannerFault(kind=kind, message=message, attempts=attempts))

    def _ask(self, client: VLMClient, prompt: str, image: ImageFile) -> PlannerOutput | PlannerFault:
        """A plan of one backend after at most ``retry_attempts`` retries, or its last fault."""
        settings = self.settings
        fault = PlannerFault(kind="model", message="was not asked")
        asked = prompt
        for attempt in range(settings.retry_attempts + 1):
            if attempt and fault.kind == "invalid_output":
                asked = stricter(prompt, attempt, fault.message)
            self.calls += 1
            try:
                reply = client.generate(
                    asked,
                    image.image,
                    max_tokens=settings.max_tokens,
                    temperature=settings.temperature,
                    top_p=settings.top_p,
                )
                return read_plan(reply)
            except ModelError as error:
                fault = PlannerFault(kind="model", message=str(error))
                self._log.add("failed_call", backend=client.name, attempt=attempt + 1, error=fault.message)
                if not error.recoverable:
                    return fault
            except ValueError as error:
                fault = PlannerFault(kind="invalid_output", message=str(error))
                self._log.add("invalid_plan", backend=client.name, attempt=attempt + 1, error=fault.message)
        return fault

    def _key(self, query: str, image: ImageFile, reference: ImageFile | None, reason: str | None) -> str:
        backends = [client.name if client is not None else "rules" for client in (self.client, self.fallback)]
        sampling = [self.settings.temperature, self.settings.top_p, self.settings.max_tokens]
        pictures = [image.sha256, reference.sha256 if reference is not None else None]
        return files.sha256_value([PLAN, query, pictures, reason, backends, sampling])

    def _recall(self, key: str) -> PlannerOutput | None:
        if key in self._known or self._cache is None:
            return self._known.get(key)
        path = self._cache / f"{key}.json"
        try:
            return PlannerOutput.model_validate(files.read_json(path)) if path.is_file() else None
        except (ArtifactError, ValidationError):
            path.unlink(missing_ok=True)
            return None

    def _remember(self, key: str, plan: PlannerOutput) -> None:
        self._known[key] = plan
        if self._cache is not None:
            files.write_json(self._cache / f"{key}.json", plan.model_dump(mode="json"))


def prompt_for(query: str, *, has_reference: bool, replan_reason: str | None = None) -> str:
    """The prompt of one question, which is data."""
    replan = f"\nThe plan before was not enough: {as_data(replan_reason)[:MAX_PROMPT_ERROR]}" if replan_reason else ""
    return filled(PLAN, reference="yes" if has_reference else "no", query=question_as_data(query), replan=replan)


def stricter(prompt: str, attempt: int, error: str) -> str:
    """The prompt of retry ``attempt`` (from 1): the first prompt and one correction."""
    wording = STRICTER[min(attempt, len(STRICTER)) - 1]
    return prompt + wording.format(error=as_data(error)[:MAX_PROMPT_ERROR])


def read_plan(reply: str) -> PlannerOutput:
    """The plan of a model's reply, which must be one JSON object and nothing else.

    Raises:
        ValueError: says what is wrong: no JSON, text around it, or each field at fault.
    """
    try:
        value = json.loads(reply, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        where = reply.strip()[:MAX_QUOTED_REPLY]
        raise ValueError(f"the reply is not one JSON object and nothing else (it begins {where!r}: {error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"the reply is a JSON {type(value).__name__}, not an object")
    try:
        return PlannerOutput.model_validate(value)
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, fault['loc'])) or 'plan'}: {fault['msg'].removeprefix('Value error, ')}"
            + ("" if fault["type"] == "missing" else f" (found {fault['input']!r:.60})")
            for fault in error.errors()[:MAX_FIELDS_AT_FAULT]
        )
        raise ValueError("; ".join(faults)) from error


def _refuse(constant: str) -> Callable[[], None]:
    raise ValueError(f"{constant} is no JSON")
