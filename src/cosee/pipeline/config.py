"""The typed configuration: every key known, every error one line that says where and what is nearest."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.faults import faults
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import AnswerSettings, RunSettings
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.methods import MethodBase
from cosee.artifacts.settings.parsing import AdaptSettings, EnhanceSettings
from cosee.artifacts.settings.quality import QualitySettings
from cosee.artifacts.yaml_file import check_size, line_of, parse_yaml
from cosee.models.calls import ModelError
from cosee.models.entries import Entry
from cosee.models.registry import MODELS_FILE, known_entry
from cosee.pipeline.isolation import Limits
from cosee.plugins import PluginError, installed, use
from cosee.project.installed import ROOT
from cosee.registry import METHODS
from cosee.text.likeness import nearest_word

_KEY = re.compile(r"([A-Za-z_][\w-]*(?:\.[\w-]+)*): ")
"""A key at the beginning of a message, its parts joined by dots."""
Preset = Literal["laptop", "served", "gpu", "paper"]
"""Each a file of ``config/presets/``."""


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names the key and what to write instead."""


class Config(Record):
    """The whole configuration. Sections belong to stages: changing one redoes that stage and what follows."""

    preset: Preset | None = Field(
        None,
        description="What holds where this file says nothing: config/presets/<name>.yaml. 'laptop' needs no model, "
        "'served' asks a server, 'gpu' runs Qwen3-VL here, 'paper' compares every method.",
    )
    datasets: list[str] = Field(min_length=1, description="Folders below data_dir, each with documents and qa/.")
    data_dir: str = Field("data", description="Folder of the datasets.")
    indexes_dir: str = Field("indexes", description="Folder of the indexes.")
    results_dir: str = Field("results", description="Folder of the results.")
    shard_pages: int = Field(1000, ge=1, description="Pages that one job takes; a model is loaded once per job.")
    failure_budget: float = Field(
        0.5, ge=0, le=1, description="Share of documents or questions that may fail before the exit status is 3."
    )
    limits: Limits = Field(Limits(), description="Bounds of one document in one stage.")
    adapt: AdaptSettings = AdaptSettings()
    enhance: EnhanceSettings = EnhanceSettings()
    index: IndexSettings = IndexSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    quality: QualitySettings = QualitySettings()
    benchmarks: dict[str, str] = Field(
        default_factory=dict,
        description="Folder of the published files of a benchmark, by its name, for cosee init --from and the loaders.",
    )
    plugins: list[str] = Field(
        [],
        description="Python files of the project that add methods, tools, measures, scorers or importers; see "
        "docs/plugins.md.",
    )
    runs: dict[str, RunSettings] = Field(
        default_factory=dict, description="Runs by name; without any, one run per dataset."
    )

    @model_validator(mode="after")
    def _check(self) -> Config:
        for name in [*self.datasets, *self.runs]:
            if not _safe(name):
                raise ValueError(f"{name!r} cannot be a folder name: use letters, digits, '.', '_' and '-'")
        for run, settings in self.runs.items():
            settings.datasets = settings.datasets or self.datasets
            unknown = [name for name in settings.datasets if name not in self.datasets]
            if unknown:
                raise ValueError(f"runs.{run}.datasets: {unknown[0]!r} is not among datasets {self.datasets}")
            labels = [method.label for method in settings.methods]
            if len(set(labels)) != len(labels):
                raise ValueError(f"runs.{run}.methods: two methods have one name; give them different 'name's")
            for method in settings.methods:
                settings.retrieval.without(method.without)
        return self

    def named_models(self) -> Iterator[tuple[str, str]]:
        """Key and name of every model that the configuration names."""
        if self.enhance.figure_model is not None:
            yield "enhance.figure_model", self.enhance.figure_model
        for key, name in (("backend", self.quality.backend), ("fallback_backend", self.quality.fallback_backend)):
            if name not in (None, "embedded"):
                yield f"quality.{key}", str(name)
        if self.index.summary_model is not None:
            yield "index.summary_model", self.index.summary_model
        if self.index.embedding_model is not None:
            yield "index.embedding_model", self.index.embedding_model
        if self.evaluate.judge is not None:
            yield "evaluate.judge", self.evaluate.judge
        if self.evaluate.evidence is not None:
            yield "evaluate.evidence", self.evaluate.evidence
        for run, settings in self.runs.items():
            yield f"runs.{run}.model", settings.model
            if settings.fallback_model is not None:
                yield f"runs.{run}.fallback_model", settings.fallback_model

    def answer_settings(self, run: str, method: str) -> AnswerSettings:
        """What an answer job of ``run`` and ``method`` (its label) is given."""
        settings = self.runs[run]
        chosen = next(item for item in settings.methods if item.label == method)
        return AnswerSettings(
            run=run,
            method=chosen,
            model=settings.model,
            fallback_model=settings.fallback_model,
            retrieval=settings.retrieval.without(chosen.without),
            budget=settings.budget,
            extractor=settings.extractor,
            place_ocr=settings.place_ocr,
            keep_trace=settings.keep_trace,
            seed=settings.seed if chosen.seed is None else chosen.seed,
        )


def check_models(config: Config, models: Mapping[str, Entry]) -> None:
    """Raises ConfigError for a model that is not there, cannot do what it is named for, or lacks the price that a
    budget in money needs."""
    for where, model in config.named_models():
        try:
            known_entry(model, models)
        except ModelError as error:
            raise ConfigError(f"{where}: {error}; models are named in {MODELS_FILE}") from error
        if where == "index.summary_model" and models[model].kind == "embedded":
            raise ConfigError(
                f"{where}: {model!r} is no model and writes no summaries; name a model, or use 'summaries: mmr'"
            )
    for run, settings in config.runs.items():
        bounded = settings.run_budget is not None and settings.run_budget.money is not None
        if bounded and models[settings.model].price is None:
            raise ConfigError(f"runs.{run}.run_budget.money: {settings.model!r} has no 'price' in {MODELS_FILE}")


def load_config(value: Mapping[str, Any]) -> Config:
    """Check a configuration as read from YAML. Raises ConfigError with one line per fault (three at most).

    ``${NAME}`` and ``${NAME:-default}`` in the section ``quality`` are taken from the environment.
    """
    try:
        check_size(value, "configuration")
    except ArtifactError as error:
        raise ConfigError(str(error)) from error
    value = _filled_up(value)
    use_plugins(value)
    if isinstance(value.get("quality"), dict):
        value["quality"] = _interpolated(value["quality"])
    try:
        return Config.model_validate(value)
    except ValidationError as error:
        raise ConfigError("\n".join(faults(error, nearest=nearest_word, keys=_known_keys))) from error


def _filled_up(value: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with what its preset says where it says nothing itself, and with its runs.

    A preset is a configuration with a section ``run`` more: what each run has that does not say otherwise. Runs of
    its own it has only where the configuration names none.
    """
    name = value.get("preset")
    path = ROOT / "config" / "presets" / f"{name}.yaml"
    preset = read_mapping(path) if name in get_args(Preset) else {}
    every_run = preset.pop("run", {})
    runs = value.get("runs") or preset.pop("runs", {})
    datasets = value.get("datasets")
    if not runs and isinstance(datasets, list):
        runs = {each: {"datasets": [each]} for each in datasets if isinstance(each, str)}
    if isinstance(runs, Mapping):
        runs = {run: _merged(every_run, settings) for run, settings in runs.items()}
    return {**_merged(preset, value), "runs": runs}


def _merged(below: Any, above: Any) -> Any:
    """``above``, and what ``below`` has beside it; only mappings are put together."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return {key: _merged(below.get(key), above.get(key, below.get(key))) for key in {**below, **above}}


def use_plugins(value: Mapping[str, Any]) -> None:
    """Load the plugins that an unchecked configuration names, and those that are installed. Raises ConfigError."""
    named = value.get("plugins") or []
    if isinstance(named, list) and all(isinstance(name, str) and "==" not in name for name in named):
        try:
            use([*named, *installed()])
        except PluginError as error:
            raise ConfigError(str(error)) from error


def _interpolated(section: dict[str, Any]) -> Any:
    from cosee.models.calls import ModelError
    from cosee.models.registry import interpolate

    try:
        return interpolate(section, os.environ, "quality")
    except ModelError as error:
        raise ConfigError(str(error)) from error


def read_config(path: Path) -> Config:
    """Read and check a YAML configuration file. Raises ConfigError that names the file, and the line of each fault."""
    value = read_mapping(path)
    try:
        return load_config(value)
    except ConfigError as error:
        raise located(error, [path]) from error


def located(error: ConfigError, sources: Sequence[Path]) -> ConfigError:
    """The error with file and line before each key that it names and that one of the ``sources`` has; the last one
    counts, and the only one is named where no line is."""
    lines = []
    for said in str(error).split("\n"):
        key = _KEY.match(said)
        found = None
        for source in sources if key is not None else ():
            try:
                line = line_of(files.read_bytes(source), key[1]) if key is not None else None
            except ArtifactError:
                continue
            found = f"{source}, line {line}: " if line is not None else found
        only = f"{sources[0]}: " if len(sources) == 1 else ""
        lines.append(f"{found or only}{said.removeprefix(only)}")
    return ConfigError("\n".join(lines))


def read_mapping(path: Path) -> dict[str, Any]:
    """The sections of a YAML configuration file, unchecked. Raises ConfigError that names the file."""
    if not path.is_file():
        folder = path.parent
        there = [str(each) for each in folder.glob("*.y*ml")] if folder.is_dir() else []
        near = nearest_word(str(path), there)
        hint = f"did you mean {near!r}? " if near else ""
        raise ConfigError(f"{path}: no such file; {hint}'cosee init NAME' writes config/NAME.yaml")
    try:
        value = parse_yaml(files.read_bytes(path), str(path))
    except ArtifactError as error:
        raise ConfigError(str(error)) from error
    if value is None:
        raise ConfigError(f"{path}: is empty; 'datasets: [NAME]' is the least that it says")
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: must be a mapping of sections such as 'datasets: [NAME]', found {value!r:.40}")
    return value


def _safe(name: str) -> bool:
    return bool(name) and not name.startswith(".") and all(char.isalnum() or char in "._-" for char in name)


def _known_keys(place: list[str]) -> list[str]:
    """Keys that are valid at a place; where it is none of ours, all keys."""
    return list(_keys_at(place)) or sorted(_all_keys(Config))


def _keys_at(location: list[str]) -> Iterator[str]:
    """Keys that are valid at a place of the configuration."""
    models: list[type[BaseModel]] = [Config]
    for part in location:
        following: list[type[BaseModel]] = []
        for model in models:
            field = model.model_fields.get(part)
            following.extend(_models_in(field.annotation) if field is not None else [])
        models = following or models
    for model in models:
        yield from model.model_fields


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if annotation is MethodBase:
        return [each.settings for each in METHODS.loaded() if each.settings is not None]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def _all_keys(model: type[BaseModel]) -> set[str]:
    keys = set(model.model_fields)
    for field in model.model_fields.values():
        for inner in _models_in(field.annotation):
            keys |= _all_keys(inner)
    return keys
