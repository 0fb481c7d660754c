"""`cosee estimate` beside what a server then sees that counts with the embedder's tokenizer, by method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.counting_server import counting_server
from tokenizers import Tokenizer

from cosee.artifacts import files
from cosee.artifacts.results.estimate import MethodEstimate
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.models.registry import load_models
from cosee.models.weights import find
from cosee.pipeline.config import load_config
from cosee.pipeline.paths import Paths
from cosee.reader.client import EmbeddedClient
from cosee.runs.estimate import estimate_run, stand_in
from cosee.stages.answer import AnswerStage

METHODS = (
    "constant", "direct", "full_text", "page_rag", "chunk_rag", "single_agent_cot", "self_consistency",
    "multi_agent_chat_no_board", "cosee", "navigator", "decision",
)  # fmt: skip
COLUMNS = ("calls", "tokens_in", "images")


def measure(paths: Paths, dataset: str, scratch: Path, *, sees_images: bool) -> dict[str, Any]:
    """Method -> its estimate and what the server counted, over the documents of a dataset that are indexed."""
    weights = find("minilm")
    assert weights is not None, "python -m cosee.models.weights --fetch minilm"
    run = {"datasets": [dataset], "model": "counted", "methods": list(METHODS)}
    config = load_config({"datasets": [dataset], "runs": {"counted": run}})
    settings = [config.answer_settings("counted", method) for method in METHODS]
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with counting_server(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)) as server:
        entry = {"kind": "openai", "model": "tiny-vision", "base_url": f"{server.server.url}/v1",
                 "sees_images": sees_images}  # fmt: skip
        entries = scratch / "models.yaml"
        entries.write_text(files.canonical_json({"models": {"counted": entry}}), encoding="utf-8")
        client = stand_in("counted", load_models(entries), EmbeddedClient())
        made = estimate_run(paths, "counted", [dataset], settings, client)
        found: dict[str, Any] = {}
        for each in settings:
            server.reset()
            _answer(paths, dataset, each, entries, scratch)
            seen = {name: getattr(server, name) for name in COLUMNS}
            found[each.method.label] = _row(made.methods[each.method.label], each, seen)
    return found


def _answer(paths: Paths, dataset: str, settings: AnswerSettings, entries: Path, scratch: Path) -> None:
    stage = AnswerStage(entries)
    places = Paths(paths.data, paths.indexes, scratch / "results", "counted", settings.method.label)
    for tree in sorted((paths.data / dataset).glob("*/doctree.mm.json")):
        stage.run(places.folder(dataset, tree.parent.name), settings)


def _row(estimate: MethodEstimate, settings: AnswerSettings, seen: dict[str, int]) -> dict[str, Any]:
    row: dict[str, Any] = {"open": settings.method.open_calls() is not None}
    for name in COLUMNS:
        figure = getattr(estimate, name)
        row[name] = {"seen": seen[name], "low": figure.low, "likely": figure.likely, "high": figure.high}
        row[name]["off"] = round(figure.likely / seen[name] - 1, 3) if seen[name] else 0.0
        row[name]["inside"] = figure.low <= seen[name] <= figure.high
    return row
