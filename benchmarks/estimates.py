"""``python -m benchmarks.estimates --json OUT``: `cosee estimate` beside what a counting server then sees.

Over the documents of a project that are indexed already (default: the demo's). The server stands on a real socket,
counts prompts with the embedder's tokenizer and pictures in patches of 32 pixels, and replies with the plainest JSON
that fits; with it every method answers every question.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from cosee.artifacts import files
from cosee.artifacts.results.estimate import Estimate, MethodEstimate
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.models.registry import load_models
from cosee.models.weights import find
from cosee.pipeline.config import load_config
from cosee.pipeline.paths import Paths
from cosee.reader.client import embedded_client
from cosee.runs.estimate import estimate_run, stand_in
from cosee.stages.answer import AnswerStage

sys.path.insert(0, str(ROOT / "tests"))
METHODS = (
    "constant", "direct", "full_text", "page_rag", "chunk_rag", "single_agent_cot", "self_consistency",
    "multi_agent_chat_no_board", "cosee", "navigator", "decision",
)  # fmt: skip
COLUMNS = ("calls", "tokens_in", "images")


def measure(
    paths: Paths, dataset: str, scratch: Path, *, sees_images: bool, tokenizer_file: Path | None = None
) -> dict[str, Any]:
    """Method -> its estimate and what the server counted, with a ``tokenizer.json`` (default: the embedder's)."""
    from helpers.counting_server import counting_server
    from tokenizers import Tokenizer

    weights = find("minilm")
    if tokenizer_file is None and weights is not None:
        tokenizer_file = weights / "tokenizer.json"
    if tokenizer_file is None:
        raise SystemExit("needs the embedder's weights: python -m cosee.models.weights --fetch minilm")
    run = {"datasets": [dataset], "model": "counted", "methods": list(METHODS)}
    config = load_config({"datasets": [dataset], "runs": {"counted": run}})
    settings = [config.answer_settings("counted", method) for method in METHODS]
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with counting_server(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)) as server:
        entry = {"kind": "openai", "model": "tiny-vision", "base_url": f"{server.server.url}/v1",
                 "sees_images": sees_images}  # fmt: skip
        entries = scratch / "models.yaml"
        entries.write_text(files.canonical_json({"models": {"counted": entry}}), encoding="utf-8")
        client = stand_in("counted", load_models(entries), embedded_client())
        made: Estimate = estimate_run(paths, "counted", [dataset], settings, client)
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


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--dataset", default="demo", help="dataset whose documents are indexed")
    parser.add_argument("--json", type=Path, required=True, help="file for the figures")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json that the server counts with")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="estimates-"))
    try:
        figures = {
            name: measure(Paths(), options.dataset, scratch / name, sees_images=sees, tokenizer_file=options.tokenizer)
            for name, sees in (("text", False), ("pictures", True))
            if (scratch / name).mkdir() is None
        }
    finally:
        shutil.rmtree(scratch)
    files.write_json(options.json, figures)
    for name, methods in figures.items():
        for method, row in methods.items():
            told = "; ".join(
                f"{column} {row[column]['seen']} seen, {row[column]['likely']:.0f} likely "
                f"({row[column]['low']:.0f} to {row[column]['high']:.0f}), off {row[column]['off']:+.1%}"
                for column in COLUMNS
            )
            print(f"{name} {method}{' (open)' if row['open'] else ''}: {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
