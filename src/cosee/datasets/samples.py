"""Samples from any dataset on disk, whatever it was imported from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.files import ArtifactError
from cosee.imaging.pdf_file import open_pdf
from cosee.imaging.render import RenderError, render_pages_isolated


class Sample(dict[str, Any]):
    """``images`` (``PIL.Image`` in page order), ``question``, ``answer`` (str or list of str) and ``meta``.

    ``meta`` holds ``question_id``, ``doc_id``, ``split`` and what else its loader says; pages in it count from 1.
    """


def load_samples(dataset: Path, *, dpi: int = 144, cache: Path = Path(".cache/pages")) -> Iterator[Sample]:
    """The samples of a dataset (``data/<name>``) by ``question_id``, pages rendered document by document.

    ``answer`` is the gold answer, a list where several are accepted or the answer is one, and empty where there is
    none. ``meta`` has also ``answer_format``, ``evidence_pages`` (of ``images``) and ``source_dataset``.

    Raises:
        ArtifactError: there are no questions, or a document cannot be rendered; names it.
    """
    questions = load_questions(dataset / "qa" / "questions.jsonl")
    if not questions:
        raise ArtifactError(f"{dataset / 'qa' / 'questions.jsonl'}: no questions")
    for question in questions:
        golds = [gold for gold in [question.answer, *question.answer_alt] if gold is not None]
        yield Sample(
            images=_pages(dataset / question.doc_id / "full.pdf", dpi, cache),
            question=question.question,
            answer=golds[0] if len(golds) == 1 else golds,
            meta=question.model_dump(
                include={"question_id", "doc_id", "split", "answer_format", "evidence_pages", "source_dataset"}
            ),
        )


def _pages(pdf: Path, dpi: int, cache: Path) -> list[Any]:
    """The pages of a document as pictures. They are rendered in a child process, and once."""
    from PIL import Image

    try:
        with open_pdf(pdf) as document:
            count = document.page_count
    except Exception as error:  # whatever a damaged file raises
        raise ArtifactError(f"{pdf}: cannot be opened ({type(error).__name__}: {error})") from error
    images = []
    for page, path in render_pages_isolated(pdf, range(1, count + 1), dpi, cache).items():
        if isinstance(path, RenderError):
            raise ArtifactError(f"{pdf}, page {page}: {path}")
        with Image.open(path) as picture:
            images.append(picture.convert("RGB"))
    return images
