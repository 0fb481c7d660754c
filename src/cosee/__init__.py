"""CoSee: explainable question answering over long multimodal documents, as an offline batch pipeline.

The public names of the library import from here; each module is loaded when one of its names is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "Action": "cosee.agents.cosee.actions",
    "Agent": "cosee.agents.cosee.agent",
    "Board": "cosee.agents.cosee.board",
    "Cell": "cosee.agents.cosee.board",
    "CoSeeController": "cosee.agents.cosee.controller",
    "CrossCheckerAgent": "cosee.agents.cosee.agent",
    "DetailReaderAgent": "cosee.agents.cosee.agent",
    "Document": "cosee.commands.document",
    "DummyAgent": "cosee.agents.cosee.agent",
    "ScannerAgent": "cosee.agents.cosee.agent",
    "SNAKEFILE": "cosee.project.installed",
    "QwenVLClient": "cosee.models.local.qwen_vl_wrapper",
    "Sample": "cosee.datasets.samples",
    "View": "cosee.agents.cosee.board",
    "aggregate_metrics": "cosee.evaluation.scorers.core",
    "anls": "cosee.evaluation.scorers.core",
    "build_dev_subset": "cosee.datasets.importers.mpdocvqa",
    "exact_match": "cosee.evaluation.scorers.core",
    "f1_score": "cosee.evaluation.scorers.core",
    "load_mpdocvqa_split": "cosee.datasets.importers.mpdocvqa",
    "load_samples": "cosee.datasets.samples",
    "normalize_answer": "cosee.evaluation.scorers.core",
    "read": "cosee.commands.document",
    "multi_agent_chat_no_board": "cosee.agents.baselines.functions",
    "self_consistency": "cosee.agents.baselines.functions",
    "single_agent_cot": "cosee.agents.baselines.functions",
}
"""Public name -> the module that holds it. Names as text: importing this package must import nothing else. Their types
are in ``__init__.pyi``, which no stage's code hangs on."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cosee' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
