"""M4, before evaluate, where ``evaluate.evidence`` names a model: whether a method's evidence carries its answers."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from cosee.agents.baselines.schemas import PageAnswer
from cosee.agents.evidence_check import all_but_cited, cited_alone
from cosee.agents.replies import answer_text
from cosee.agents.short_answer import short_answer
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.names import document_of
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, JobFailure
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.evidence_checks import is_checked
from cosee.imaging.page_workers import PageWorkers
from cosee.imaging.render import RenderError
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Failure, ModelError, Sampling, TypedReply
from cosee.models.journal import JournaledClient
from cosee.models.registry import MODELS_FILE
from cosee.models.structured import request_many
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.retrieval.collection.joined import JoinedPages, joined_tree
from cosee.runs import files as run_files
from cosee.runs.model import open_model
from cosee.runs.shown_pages import page_image

logger = logging.getLogger(__name__)
SAMPLING = Sampling(max_new_tokens=512, temperature=0.0, presence_penalty=0.0)
BATCH = 32
"""Requests sent together; what a batch brought is in the journal when the next one starts."""

Asked = tuple[Question, Prediction, int, list[Message]]
"""A question, its answer, how many pieces it cites, and what the model is asked of them: nothing, or two prompts."""


def check_method(
    paths: Paths, run: str, method: str, datasets: Sequence[str], client: VLMClient
) -> list[EvidenceCheck]:
    """The row of each answer, in the order of the questions.

    Raises:
        ArtifactError: an input cannot be read.
        ModelError: the model failed on every answer.
    """
    checked = JournaledClient(client, paths.results / run / "journal" / "evidence" / f"{method}.jsonl")
    found = {(row.dataset, row.question_id): row for row in run_files.load_predictions(paths, run, method)}
    wanted = [
        (dataset, question, found[dataset, question.question_id])
        for dataset, question in run_files.questions_of(paths, datasets)
        if is_checked(found.get((dataset, question.question_id)))
    ]
    rows: list[EvidenceCheck] = []
    batch: list[Asked] = []
    for asked in _prompts(paths, wanted, checked):
        batch.append(asked)
        if sum(len(each[3]) for each in batch) >= BATCH:
            rows += _answered(batch, checked)
            batch = []
    rows += _answered(batch, checked)
    tried = [row for row in rows if row.cited]
    if tried and all(row.status == "failed" for row in tried):
        raise ModelError(f"the model {client.name!r} failed on all {len(tried)} answers; the first: {tried[0].reason}")
    order = {(dataset, question.question_id): place for place, (dataset, question, _) in enumerate(wanted)}
    return sorted(rows, key=lambda row: order[row.dataset, row.question_id])


def _prompts(paths: Paths, wanted: Sequence[tuple[str, Question, Prediction]], client: VLMClient) -> Iterator[Asked]:
    """What is asked of each answer, document by document."""
    workers = PageWorkers()
    by_document = sorted(wanted, key=lambda each: (each[0], each[1].doc_id))
    cache = paths.results / ".cache" / "pages"
    for (dataset, doc_id), group in groupby(by_document, key=lambda each: (each[0], each[1].doc_id)):
        folder = paths.folder(dataset, doc_id)
        tree = DocTree.load(folder.data / "doctree.mm.json") if doc_id else None
        for _, question, prediction in group:
            if tree is None:
                yield _over_several(paths, question, prediction, client, workers)
                continue
            picture = partial(page_image, folder.data / "full.pdf", tree, cache=cache, workers=workers)
            alone = cited_alone(question.question, prediction, tree, client, picture)
            if alone is None:
                yield question, prediction, 0, []
            else:
                rest = all_but_cited(question.question, prediction, tree, client, picture)
                yield question, prediction, alone[1], [alone[0], rest]


def _over_several(
    paths: Paths, question: Question, prediction: Prediction, client: VLMClient, workers: PageWorkers
) -> Asked:
    """What is asked of an answer about several documents: these are read as one, as its method did."""
    names = list(dict.fromkeys(name for name, _ in [*prediction.cited, *(prediction.read or ())]))
    folders = [paths.folder(*document_of(name, prediction.dataset)) for name in names]
    documents = [
        (name, DocTree.load(folder.data / "doctree.mm.json")) for name, folder in zip(names, folders, strict=True)
    ]
    if not documents:
        return question, prediction, 0, []
    tree, pages = joined_tree(documents), JoinedPages([tree for _, tree in documents])

    def picture(page: int) -> PageImage:
        number, own = pages.of_page(page) or (0, page)
        pdf, cache = folders[number].data / "full.pdf", paths.results / ".cache" / "pages"
        found = page_image(pdf, documents[number][1], own, cache, workers)
        found.page = page
        return found

    row = pages.from_documents(prediction, names)
    alone = cited_alone(question.question, row, tree, client, picture)
    if alone is None:
        return question, prediction, 0, []
    rest = all_but_cited(question.question, row, tree, client, picture)
    return question, prediction, alone[1], [alone[0], rest]


def _answered(batch: Sequence[Asked], client: VLMClient) -> list[EvidenceCheck]:
    prompts = [[message] for *_, messages in batch for message in messages]
    replies = iter(request_many(client, prompts, PageAnswer, [SAMPLING] * len(prompts)) if prompts else [])
    return [
        _row(question, prediction, cited, [next(replies) for _ in messages], client)
        for question, prediction, cited, messages in batch
    ]


def _row(
    question: Question,
    prediction: Prediction,
    cited: int,
    replies: Sequence[TypedReply[PageAnswer] | Failure],
    client: VLMClient,
) -> EvidenceCheck:
    said: list[str | None] = []
    faults: list[str] = []
    for reply in replies:
        value = reply.value if isinstance(reply, TypedReply) else None
        said.append(None if value is None else short_answer(question.question, answer_text(value.answer) or ""))
        if value is None:
            faults.append(str((reply.error if isinstance(reply, TypedReply) else reply) or "no reply"))
    alone, rest = said or (None, None)
    return EvidenceCheck(
        dataset=prediction.dataset,
        question_id=prediction.question_id,
        status="failed" if faults else "ok",
        cited=cited,
        from_evidence=alone,
        without_evidence=rest,
        reason=" ".join("; ".join(faults).split())[:500],
        model=client.name,
        model_revision=client.revision,
    )


def _reader() -> VLMClient:
    """The reader without a model."""
    from cosee.reader.client import EmbeddedClient

    return EmbeddedClient()


def main(argv: list[str] | None = None) -> int:
    """Check one method; returns the exit status: 1 where the disk or the model's server is broken, 2 for wrong
    arguments, inputs or a model that answers nothing."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.evidence", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--method", required=True, help="name of the method")
    parser.add_argument("--datasets", nargs="+", required=True, help="names of the run's datasets")
    parser.add_argument("--model", required=True, help="name of the model in config/models.yaml")
    project_arguments(parser)
    arguments = parser.parse_args(argv)
    paths = begin(arguments)
    try:
        client = open_model(arguments.model, MODELS_FILE, _reader)
        rows = check_method(paths, arguments.run, arguments.method, arguments.datasets, client)
    except (ArtifactError, ModelError, RenderError, JobFailure) as error:
        sys.stderr.write(f"evidence: {error}\n")
        return 1 if isinstance(error, JobFailure) else 2
    save_rows(paths.results / arguments.run / "evidence" / f"{arguments.method}.jsonl", rows)
    cited, failed = sum(row.cited > 0 for row in rows), sum(row.status == "failed" for row in rows)
    told = f"{len(rows)} answers, {cited} with evidence, {failed} failed"
    logger.info("%s %s: %s", arguments.run, arguments.method, told)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
