"""``cosee estimate``: what a run will cost in calls, tokens, pictures and money, before a model is asked."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from cosee.artifacts.results.estimate import Estimate
from cosee.commands.views.estimate_view import show_estimate
from cosee.models.registry import MODELS_FILE, known_entry, known_models
from cosee.pipeline.config import Config, ConfigError, read_config
from cosee.pipeline.paths import Paths
from cosee.reader.client import EmbeddedClient
from cosee.runs.estimate import estimate_run, stand_in


def estimate(run: str | None, console: Console, *, config: Path, sample: int) -> int:
    """Estimate a run, or every run of the configuration; writes ``results/<run>/estimate.json`` and prints it.

    Returns 1 where no document is indexed yet.

    Raises:
        ConfigError: there is no such run.
        ArtifactError: what exists of the run's documents cannot be read.
        ModelError: there is no such model.
    """
    settings = read_config(config)
    if run is not None and run not in settings.runs:
        raise ConfigError(f"estimate: there is no run {run!r} in {config}; runs: {', '.join(settings.runs)}")
    found = [_estimate(settings, name, sample) for name in ([run] if run else settings.runs)]
    for each in found:
        show_estimate(each, console)
    return int(not all(each.methods for each in found))


def _estimate(settings: Config, run: str, sample: int) -> Estimate:
    paths = Paths(Path(settings.data_dir), Path(settings.indexes_dir), Path(settings.results_dir))
    models = known_models(MODELS_FILE)
    chosen = settings.runs[run]
    known_entry(chosen.model, models)
    methods = [settings.answer_settings(run, method.label) for method in chosen.methods]
    client = stand_in(chosen.model, models, EmbeddedClient())
    made = estimate_run(paths, run, chosen.datasets, methods, client, sample, models[chosen.model].price)
    made.save(paths.results / run / "estimate.json")
    return made
