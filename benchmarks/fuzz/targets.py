"""What the fuzzer attacks: six readers of what users, models and other programs write.

A target reads one input in a folder of its own. It gives a word for the outcome, ``ok`` or the documented refusal; any
exception, any broken artifact that it finds afterwards, is a finding.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.fuzz.mutations import BYTES, JSON, PDF, Mutation, json_lines, pdf_cut_stream, truncate
from benchmarks.fuzz.seeds import config_seeds, docling_seeds, mineru_seeds, pdf_seeds, question_seeds, reply_seeds
from cosee.artifacts import files
from cosee.pipeline.paths import GIVEN

CUTS = (truncate, pdf_cut_stream)
"""Mutations after which a document cannot be whole."""


class Broken(AssertionError):
    """An outcome that breaks a promise: a row without its reason, an artifact that cannot be read, text lost unsaid."""


@dataclass(frozen=True)
class Target:
    """One reader: how its inputs are made, how they are broken, and what reads them."""

    name: str
    seeds: Callable[[], list[bytes]]
    mutations: Sequence[Mutation]
    read: Callable[[Path, bytes, Mutation], str]


@dataclass(frozen=True)
class Input:
    """One broken input."""

    target: Target
    data: bytes
    mutation: Mutation
    seed: int = 0
    """Which of the target's seeds it was made of."""


@dataclass
class Seeds:
    """The seeds of each target, made once."""

    made: dict[str, list[bytes]] = field(default_factory=dict)

    def input(self, target: Target, key: str) -> Input:
        """The input that ``key`` stands for: the same for the same key."""
        if target.name not in self.made:
            self.made[target.name] = target.seeds()
        seeds, rng = self.made[target.name], random.Random(key)
        number = rng.randrange(len(seeds))
        mutation = rng.choice(target.mutations)
        data = mutation(rng, seeds[number], seeds)
        for _ in range(rng.choice((0, 0, 0, 1, 3)) if mutation not in CUTS else 0):
            data = rng.choice(target.mutations)(rng, data, seeds)
        return Input(target, data, mutation, number)


def read_document(folder: Path, data: bytes, mutation: Mutation) -> str:
    """A PDF through M0, M1 and M2."""
    files.write_bytes(folder / "full.pdf", data)
    return _through_stages(
        folder, cut_off=mutation is pdf_cut_stream or mutation is truncate and b"%%EOF" not in data[-1024:]
    )


def read_mineru(folder: Path, data: bytes, _: Mutation) -> str:
    """MinerU's list beside a sound PDF, through the same stages."""
    files.write_bytes(folder / "full.pdf", _sound_pdf())
    files.write_bytes(folder / "mineru" / "content_list.json", data)
    files.write_bytes(folder / "mineru" / "images" / "a.jpg", b"")
    return _through_stages(folder)


def read_docling(folder: Path, data: bytes, _: Mutation) -> str:
    """Docling's document beside a sound PDF, through the same stages."""
    files.write_bytes(folder / "full.pdf", _sound_pdf())
    files.write_bytes(folder / "docling" / "document.json", data)
    return _through_stages(folder)


@cache
def _sound_pdf() -> bytes:
    return pdf_seeds()[0]


def _through_stages(folder: Path, *, cut_off: bool = False) -> str:
    """The first refusal, ``partial`` or ``ok``. Raises Broken where an artifact does not keep its promises."""
    from cosee.artifacts.reasons import check
    from cosee.artifacts.settings.index import IndexSettings
    from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
    from cosee.pipeline.stage import DocFolder, StageFailure
    from cosee.stages.adapt import AdaptStage
    from cosee.stages.build import BuildStage
    from cosee.stages.enhance import EnhanceStage
    from cosee.stages.index import IndexStage

    doc = DocFolder("fuzz", folder.name, folder, folder / "index")
    steps: list[tuple[Any, Any]] = [
        (AdaptStage(), AdaptSettings(ocr="none")),
        (EnhanceStage(), EnhanceSettings()),
        (BuildStage(), BuildSettings()),
        (IndexStage(), IndexSettings(embedder="none")),
    ]
    partial = ""
    for stage, settings in steps:
        try:
            result = stage.run(doc, settings)
        except StageFailure as failure:
            if (
                stage.name != "adapt"
                or failure.reason == "bad_input"
                and not any(name in failure.message for name in GIVEN)
            ):
                raise Broken(f"{stage.name} refuses what the stage before wrote: {failure.message}") from failure
            return f"failed {failure.reason}"
        check(result.reason)
        if (result.status == "ok") != (result.reason is None):
            raise Broken(f"{stage.name}: status {result.status}, reason {result.reason}")
        if result.reason == "tree_problems":
            raise Broken(f"the tree breaks its own rules: {result.message}")
        for path in result.outputs:
            path.read_bytes().decode("utf-8") if path.suffix in (".json", ".jsonl") else path.stat()
        partial = partial or (f"partial {result.reason}" if result.reason else "")
    if cut_off and not partial:
        raise Broken("a file that was cut off is taken for a whole one")
    return partial or "ok"


def read_reply(_: Path, data: bytes, __: Mutation) -> str:
    """A reply against every schema of the strategies."""
    from pydantic import BaseModel

    from cosee.agents.baselines import schemas as baselines
    from cosee.agents.cosee import schemas as cosee
    from cosee.agents.decision import schemas as decision
    from cosee.agents.navigator import schemas as navigator
    from cosee.models.structured import parse

    outcomes = set()
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    for module in (baselines, cosee, decision, navigator):
        for schema in vars(module).values():
            if isinstance(schema, type) and issubclass(schema, BaseModel) and schema.__module__ == module.__name__:
                parsed = parse(text, schema)
                if (parsed.value is None) == (parsed.error is None):
                    raise Broken(f"{schema.__name__}: neither a value nor an error, or both")
                if parsed.value is not None:
                    files.canonical_json(parsed.value.model_dump(mode="json")).encode("utf-8")
                outcomes.add(parsed.error or "ok")
    return "ok" if "ok" in outcomes else f"refused {min(outcomes)}"


def read_questions(folder: Path, data: bytes, _: Mutation) -> str:
    """A question file beside two PDFs, through the import and back."""
    from cosee.artifacts.datasets.questions import load_questions
    from cosee.artifacts.files import ArtifactError
    from cosee.datasets.folder import import_folder

    suffix, _found, body = data.partition(b"\n")
    name = suffix.decode("ascii") if suffix in (b".csv", b".tsv", b".jsonl", b".xlsx") else ".csv"
    for pdf in ("one.pdf", "two.pdf"):
        files.write_bytes(folder / "pdfs" / pdf, b"%PDF-1.4\n%%EOF\n")
    files.write_bytes(folder / f"questions{name}", body)
    try:
        report = import_folder(folder / "pdfs", folder / f"questions{name}", folder / "data")
    except ArtifactError as error:
        return "refused " + ("with a place" if "line" in str(error) else "as a whole")
    if len(load_questions(folder / "data" / "qa" / "questions.jsonl")) != report.questions:
        raise Broken("the file holds another number of questions than the import reported")
    return "ok with problems" if report.problems else "ok"


def read_settings(folder: Path, data: bytes, _: Mutation) -> str:
    """A file as configuration, and as the list of models."""
    from cosee.artifacts.files import ArtifactError
    from cosee.models.calls import ModelError
    from cosee.models.registry import load_models
    from cosee.pipeline.config import ConfigError, read_config

    files.write_bytes(folder / "config.yaml", data)
    outcome = "ok"
    try:
        config = read_config(folder / "config.yaml")
        files.canonical_json(config.model_dump(mode="json"))
    except ConfigError as error:
        outcome = "refused"
        if len(str(error)) > 10_000:
            raise Broken("a message of more than 10,000 characters") from error
    try:
        load_models(folder / "config.yaml")
    except (ArtifactError, ModelError):
        return outcome
    return "ok"


TARGETS = (
    Target("pdf", pdf_seeds, PDF, read_document),
    Target("content_list", mineru_seeds, JSON, read_mineru),
    Target("docling_document", docling_seeds, JSON, read_docling),
    Target("model_text", reply_seeds, (*JSON, *BYTES, *BYTES), read_reply),
    Target("questions", question_seeds, (json_lines,) * 4 + BYTES, read_questions),
    Target("configuration", config_seeds, (*JSON, *BYTES), read_settings),
)
