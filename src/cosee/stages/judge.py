"""M4, before evaluate, where ``evaluate.judge`` names a model: what it says of a method's answers."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError, JobFailure
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.results import is_usable
from cosee.evaluation.scorers.judge import NAME, PROMPT, Verdict, is_judged, response
from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import ModelError, Sampling
from cosee.models.journal import JournaledClient
from cosee.models.messages import as_data, history_block, instruction_block, question_block
from cosee.models.registry import MODELS_FILE, load_models, open_client
from cosee.models.structured import request_many
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.runs import files as run_files

logger = logging.getLogger(__name__)
SAMPLING = Sampling(max_new_tokens=512, temperature=0.0, presence_penalty=0.0)
RETRIES = 2
"""Tries after the first: three in all, as MMLongBench-Doc-V2 has it."""
BATCH = 32
"""Answers sent together; what a batch brought is in the journal when the next one starts."""


def judge_method(paths: Paths, run: str, method: str, datasets: Sequence[str], client: VLMClient) -> list[Judgement]:
    """What the judge says of each answer that is judged; failed and missing answers are not shown to it.

    Raises:
        ArtifactError: an input cannot be read.
        ModelError: the judge failed on every answer.
    """
    found = {(row.dataset, row.question_id): row for row in run_files.load_predictions(paths, run, method)}
    asked = [
        (question, found[dataset, question.question_id])
        for dataset, question in run_files.questions_of(paths, datasets)
        if is_judged(question) and is_usable(found.get((dataset, question.question_id)))
    ]
    judged = JournaledClient(client, paths.results / run / "journal" / "judge" / f"{method}.jsonl")
    rows: list[Judgement] = []
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        replies = request_many(
            judged, [[_message(*each)] for each in batch], Verdict, [SAMPLING] * len(batch), retries=RETRIES
        )
        for (_, prediction), reply in zip(batch, replies, strict=True):
            verdict = None if isinstance(reply, Exception) else reply.value
            why = str(reply) if isinstance(reply, Exception) else reply.error or ""
            rows.append(
                Judgement(
                    dataset=prediction.dataset,
                    question_id=prediction.question_id,
                    status="failed" if verdict is None else "ok",
                    equivalent=verdict is not None and verdict.equivalent,
                    abstained=verdict is not None and verdict.abstained,
                    reason=" ".join((why if verdict is None else verdict.reason).split())[:500],
                    model=client.name,
                    model_revision=client.revision,
                )
            )
    if rows and all(row.status == "failed" for row in rows):
        raise ModelError(f"the judge {client.name!r} failed on all {len(rows)} answers; the first: {rows[0].reason}")
    return rows


def _message(question: Question, prediction: Prediction) -> Message:
    """The judge's prompt; what is judged stands in it as data."""
    gold = question.answer if isinstance(question.answer, str) else repr(question.answer)
    golds = [gold, *map(str, question.answer_alt)]
    reference = as_data("Reference answer: " + " or ".join(golds))
    return Message(
        (
            instruction_block(NAME, PROMPT),
            question_block(question.question),
            instruction_block(f"{NAME}.reference", f"{reference}\nExpected format: {question.answer_format}"),
            history_block([{"author": "system", "content": response(prediction)}]),
        )
    )


def main(argv: list[str] | None = None) -> int:
    """Judge one method; returns the exit status: 1 where the disk or the judge's server is broken, 2 for wrong
    arguments, inputs or a judge that answers nothing."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.judge", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--method", required=True, help="name of the method")
    parser.add_argument("--datasets", nargs="+", required=True, help="names of the run's datasets")
    parser.add_argument("--model", required=True, help="name of the judge in config/models.yaml")
    project_arguments(parser)
    arguments = parser.parse_args(argv)
    paths = begin(arguments)
    try:
        client = open_client(arguments.model, load_models(MODELS_FILE))
        rows = judge_method(paths, arguments.run, arguments.method, arguments.datasets, client)
    except (ArtifactError, ModelError, JobFailure) as error:
        sys.stderr.write(f"judge: {error}\n")
        return 1 if isinstance(error, JobFailure) else 2
    save_rows(paths.results / arguments.run / "judgements" / f"{arguments.method}.jsonl", rows)
    right, failed = sum(row.equivalent for row in rows), sum(row.status == "failed" for row in rows)
    logger.info("%s %s: %d judged, %d equivalent, %d failed", arguments.run, arguments.method, len(rows), right, failed)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
