"""The project as the rules see it. Every decision that needs Python lives in cosee.pipeline.workflow."""

import os
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.pipeline import run_log
from cosee.pipeline.code_closure import jobs_run_this_code
from cosee.pipeline.config import ConfigError
from cosee.pipeline.interrupts import end_at_once
from cosee.pipeline.locks import LockHeld
from cosee.pipeline.workflow import open_project
from snakemake.settings.types import DeploymentMethod


def refuse(message):
    """End before anything ran, with exit status 2."""
    sys.stderr.write(f"cosee: {message}\n")
    sys.exit(2)


# While the rules are read Snakemake does not know yet whether it will run any.
DRYRUN = any(re.fullmatch(r"--dry-?run|-[npqkF]*n[npqkF]*", each) for each in sys.argv)


def placed(folder):
    """Where a folder that the rules name is: a module's prefix stands before what its rules name."""
    return workflow.modifier.path_modifier.replace_prefix(f"{folder}/").rstrip("/")


try:
    project = open_project(
        config,
        runs_jobs=workflow.is_main_process,
        dryrun=DRYRUN,
        placed=placed,
        sources=[Path(each) for each in workflow.configfiles],
    )
except (ConfigError, ArtifactError, DiskFailure) as error:
    refuse(error)
except LockHeld as error:
    refuse(
        f"another run lives in this folder (process {error.holder}); wait for it or stop it"
    )

DATA = project.config.data_dir
INDEXES = project.config.indexes_dir
RESULTS = project.config.results_dir
LIMITS = project.config.limits.model_dump_json()
FOLDERS = " ".join(
    f"--{name} {shlex.quote(placed(folder))}".replace("{", "{{").replace("}", "}}")
    for name, folder in (("data", DATA), ("indexes", INDEXES), ("results", RESULTS))
)

# Documents that a parsing job takes at a time; on a cluster one, unless --set-threads says more.
THREADS = project.threads(
    workflow.resource_settings.cores if workflow.is_main_process else None
)

jobs_run_this_code(
    own_environments=DeploymentMethod.CONDA
    in workflow.deployment_settings.deployment_method
)

os.environ.setdefault("COSEE_REDO", "")


# What jobs on a cluster have to find in their environment.
envvars:
    "COSEE_REDO",


wildcard_constraints:
    dataset="|".join(project.config.datasets),
    shard=r"c?\d+",
    run="|".join(project.config.runs),
    method="|".join(
        sorted(
            {label for run in project.config.runs for label in project.methods(run)}
        )
    ),


def upstream(stage):
    """The ledgers of the stages that a job follows."""
    return lambda wildcards: project.upstream(stage, wildcards.dataset, wildcards.shard)


def state(stage):
    """The file that says which of the job's outputs a person edited or deleted."""
    return lambda wildcards: str(
        project.place(
            stage,
            wildcards.dataset,
            wildcards.shard,
            wildcards.get("run"),
            wildcards.get("method"),
        ).state
    )


def forced(stage):
    """Whether the stage was asked for with -R, or everything with -F; a job on a cluster is told by its environment."""
    if workflow.is_main_process:
        asked = workflow.dag_settings
        os.environ["COSEE_REDO"] = " ".join(
            ["-F"] * asked.forceall + list(asked.forcerun)
        )
    return bool({"-F", stage} & set(os.environ["COSEE_REDO"].split()))


def redo(stage):
    """1 where the stage was asked for: the job then ignores its stamps."""
    return lambda wildcards: int(forced(stage))


def answer_upstream(wildcards):
    """The ledgers an answer job follows; refuses a run that exists with other settings."""
    try:
        project.claim_run(wildcards.run, rewrite=forced("answer"), dryrun=DRYRUN)
    except (ConfigError, ArtifactError, DiskFailure) as error:
        refuse(error)
    return project.upstream("answer", wildcards.dataset, wildcards.shard)


def export_answers(wildcards):
    """Whose evidence an export shows: every method's for marked PDFs, nobody's for the other forms.

    Refuses before anything runs where tables could not be written.
    """
    if wildcards.kind == "tables" and find_spec("openpyxl") is None:
        refuse("the export of tables needs openpyxl: pip install 'cosee[xlsx]'")
    if wildcards.kind != "pdf":
        return []
    return [
        f"{RESULTS}/{wildcards.run}/predictions/{method}.jsonl"
        for method in project.methods(wildcards.run)
    ]


def notebook_tools(wildcards):
    """No files; refuses before anything runs where the notebook could not."""
    tools = ("ipykernel", "matplotlib", "papermill")
    missing = [name for name in tools if find_spec(name) is None]
    if missing:
        refuse(
            f"the analysis needs {', '.join(missing)}: pip install 'cosee[notebook]'"
        )
    return []


def environment(gpus):
    """The conda environment of a job that takes so many GPUs."""
    return f"../envs/{'gpu' if gpus else 'cpu'}.yaml"


def stage_command(stage, *options):
    """The command of a stage; ``options`` in Snakemake's own notation."""
    stored = workflow.storage_settings.default_storage_provider is not None
    return " ".join(
        [
            f"{'' if stored else 'exec '}env",
            '${{COSEE_CODE:+"PYTHONPATH=$COSEE_CODE"}}',
            f"python -m cosee.stages.{stage} {FOLDERS} --die-with-parent",
            *options,
            "> {log:q} 2>&1",
            *(["&& python -m cosee.pipeline.declared {output:q}"] if stored else []),
        ]
    )


def shard_command(stage, *options):
    """The command of a per-document stage; what differs between stages is in ``options``."""
    return stage_command(
        stage,
        "--dataset {wildcards.dataset:q} --shard {wildcards.shard:q}",
        "--settings {params.settings:q} --limits {params.limits:q}",
        "--workers {threads} --redo {resources.redo}",
        *options,
    )


def ending():
    """The table of methods and where the report is, for the end of a run that made them."""
    from cosee.commands.ending import ending

    return ending(project.paths.results)


run_log.closing = ending


onstart:
    end_at_once()


onsuccess:
    for sentence in project.curable():
        run_log.say(f"cosee: {sentence}")
    message = None
    if (project.paths.results / "metrics_summary.json").exists():
        if any(job.rule.name == "summarize" for job in workflow.dag.jobs):
            run_log.say(ending())
        message = project.failures()
    if message:
        run_log.say(f"cosee: {message}")
        sys.exit(3)
