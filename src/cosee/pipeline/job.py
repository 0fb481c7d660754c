"""The command line of the stages, ``python -m cosee.stages.<stage> ...``: what all share, and that of a shard's."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import Model, validate
from cosee.artifacts.files import ArtifactError, JobFailure
from cosee.pipeline.code_closure import Code, stage_code
from cosee.pipeline.isolation import Limits
from cosee.pipeline.locks import die_with_parent
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.stage import Stage
from cosee.plugins import use as use_plugins

logger = logging.getLogger(__name__)


def run_stage(stage: Stage, settings_model: type[Model], argv: list[str] | None = None) -> int:
    """Run ``stage`` over one shard as the arguments say; returns the exit status.

    0: every document has a row, failed ones among them. 1: the disk or a model's server is broken. 2: the arguments
    or an input file are wrong.
    """
    arguments = _parser(stage.name).parse_args(argv)
    paths = begin(arguments)
    try:
        settings = validate(settings_model, json.loads(arguments.settings), "--settings")
        limits = validate(Limits, json.loads(arguments.limits), "--limits")
        # No stage but that of answers has it: their share of the run's budget.
        share = json.loads(arguments.allowance)
        if share is not None and (allow := getattr(stage, "allow", None)) is not None:
            allow(share, settings)
        # Nor has any other the index of a collection, which some of its questions are searched in.
        if arguments.collection and (search_in := getattr(stage, "search_in", None)) is not None:
            search_in(arguments.collection)
    except (json.JSONDecodeError, ArtifactError) as error:
        sys.stderr.write(f"{stage.name}: {error}\n")
        return 2
    job = Job(
        stage=stage,
        settings=settings,
        settings_sha256=files.sha256_value(settings.model_dump(mode="json")),
        code_sha256=job_code(stage.name, settings).sha256,
        paths=replace(paths, run=arguments.run, method=arguments.method),
        dataset=arguments.dataset,
        shard=arguments.shard,
        upstream=[Path(path) for path in arguments.upstream],
        limits=limits,
        workers=arguments.workers,
        redo=bool(arguments.redo),
    )
    try:
        rows = run_shard(job)
    except (ArtifactError, JobFailure) as error:
        sys.stderr.write(f"{stage.name}: {error}\n")
        return 1 if isinstance(error, JobFailure) else 2
    statuses = Counter(row.status for row in rows)
    logger.info(
        "%s %s/%s: %s", stage.name, job.dataset, job.shard, ", ".join(f"{n} {s}" for s, n in sorted(statuses.items()))
    )
    return 0


def job_code(stage: str, settings: Any) -> Code:
    """The code that decides what a job with these settings writes, that of the method among it where they name one."""
    # By its field: an import of the settings of answers would make every stage hang on them.
    method = getattr(settings, "method", None)
    return stage_code(stage, [] if method is None else [method.strategy_name])


def project_arguments(parser: argparse.ArgumentParser) -> None:
    """What every stage's command line has: the project's folders, and whether the stage ends with its caller."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the datasets (default: data)")
    parser.add_argument("--indexes", type=Path, default=Path("indexes"), help="folder of the indexes")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--plugins", nargs="*", default=[], help="plugins that the stage uses (default: none)")
    parser.add_argument("--die-with-parent", action="store_true", help="end when the calling process ends")


def begin(arguments: argparse.Namespace) -> Paths:
    """Log to standard error, end with the caller where that was asked for, load the plugins; returns the project's
    folders. A plugin that fails ends the process with status 2."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s", force=True)
    for library in ("httpx", "httpx2"):  # else they write a line for each call of a model
        logging.getLogger(library).setLevel(logging.WARNING)
    if arguments.die_with_parent:
        die_with_parent()
    try:
        use_plugins(arguments.plugins)
    except ArtifactError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from error
    return Paths(arguments.data, arguments.indexes, arguments.results)


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m cosee.stages.{name}",
        description=f"Run the stage '{name}' over one shard of a dataset and write its ledger. "
        "Snakemake calls this; by hand use 'cosee run-stage', which fills in the arguments.",
    )
    parser.add_argument("--dataset", required=True, help="name of the folder below --data")
    parser.add_argument("--shard", required=True, help="shard of documents.tsv, e.g. 0000")
    parser.add_argument("--upstream", nargs="*", default=[], help="ledgers of the stages before")
    parser.add_argument("--settings", default="{}", help="the stage's settings as JSON")
    parser.add_argument(
        "--limits", default="{}", help='bounds of a document as JSON: {"seconds": 600, "memory_mb": 6000}'
    )
    parser.add_argument("--run", default=None, help="name of the run, for answers")
    parser.add_argument("--method", default=None, help="name of the method, for answers")
    parser.add_argument("--workers", type=int, default=1, help="documents at a time, for stages that parse PDFs")
    parser.add_argument("--allowance", default="null", help="share of the run's budget as JSON, for answers")
    parser.add_argument("--collection", nargs="*", type=Path, default=[], help="index of the collection, for answers")
    parser.add_argument("--redo", type=int, default=0, help="1: run every document again, whatever its stamp says")
    project_arguments(parser)
    return parser
