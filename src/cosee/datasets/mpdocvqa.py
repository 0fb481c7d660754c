"""MP-DocVQA as published: ``<split>.json`` and ``images/<page_id>.jpg``, pictures instead of PDFs (seed 001, 6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.datasets.placing import inside
from cosee.imaging.picture_file import read_picture

ROOT = Path("data/mp-docvqa")
"""Where the benchmark's files are unless a caller says otherwise."""


class Sample(dict[str, Any]):
    """``images`` (``PIL.Image`` in page order), ``question``, ``answer`` (str or list of str) and ``meta``.

    ``meta`` holds ``question_id``, ``doc_id``, ``page_ids``, ``split`` and ``answer_page``, the gold page as a 1-based
    position in ``images`` (None where the split hides it).
    """


def load_mpdocvqa_split(split: str, *, root: Path = ROOT) -> Iterator[Sample]:
    """The samples of ``train``, ``val`` or ``test`` in the file's order, images opened sample by sample.

    Raises:
        ArtifactError: the split's file or a page image is missing or not what it should be; names it.
    """
    path = root / f"{split}.json"
    value = files.read_json(path)
    rows = value.get("data") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise ArtifactError(f"{path}: expected an object with the list 'data'")
    for number, row in enumerate(rows):
        yield _sample(row, split, root, f"{path}, data[{number}]")


def build_dev_subset(split: str, max_samples: int, *, root: Path = ROOT) -> list[Sample]:
    """The first ``max_samples`` samples of a split: the same ones every time."""
    return list(islice(load_mpdocvqa_split(split, root=root), max(max_samples, 0)))


def _sample(row: Any, split: str, root: Path, where: str) -> Sample:
    try:
        question, page_ids = str(row["question"]), [str(page) for page in row["page_ids"]]
        meta = {
            "question_id": str(row["questionId"]),
            "doc_id": str(row["doc_id"]),
            "page_ids": page_ids,
            "split": split,
            # The benchmark counts from 0 inside its window of pages.
            "answer_page": row["answer_page_idx"] + 1 if row.get("answer_page_idx") is not None else None,
        }
        answers = [str(answer) for answer in row.get("answers") or []]
    except (KeyError, TypeError, AttributeError) as error:
        raise ArtifactError(f"{where}: not a question of MP-DocVQA ({type(error).__name__}: {error})") from error
    images = [_image(root, page, where) for page in page_ids]
    return Sample(images=images, question=question, answer=answers[0] if len(answers) == 1 else answers, meta=meta)


def _image(root: Path, page_id: str, where: str) -> Any:
    path = root / "images" / f"{page_id}.jpg"
    if not inside(root / "images", path):
        raise ArtifactError(f"{where}: no page image {path}")
    try:
        return read_picture(path).convert("RGB")
    except OSError as error:
        raise ArtifactError(f"{path}: not a readable image ({error})") from error
