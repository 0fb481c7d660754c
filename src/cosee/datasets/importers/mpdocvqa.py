"""MP-DocVQA from files as its authors publish them (rrc.cvc.uab.es, challenge 17, task 4), and the loader by split.

``<split>.json`` (or ``question_answers/<split>.json``) with ``data``: questions with ``page_ids``, the window of at
most 20 pages that they are asked about, and ``answer_page_idx``, a position in that window that counts from 0;
``images/<page_id>.jpg``; ``ocr/<page_id>.json``, Amazon Textract's words. A document of ours is one window: its page n
is the n-th of ``page_ids``. Answers of the test split are not published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.datasets.imports import Problem
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format
from cosee.datasets.image_pdf import BadImage
from cosee.datasets.importer import Options, importer
from cosee.datasets.invisible_text import Word
from cosee.datasets.locate import CONFIGURATION, benchmark_folder
from cosee.datasets.page_images import PageFile, PageSet, picture_file
from cosee.datasets.placing import inside
from cosee.datasets.published_ocr import read_ocr, textract_words
from cosee.datasets.reading import Reading
from cosee.datasets.rows import first_file, json_rows, text
from cosee.datasets.samples import Sample
from cosee.imaging.picture_file import PictureError, decode_picture

NAME = "MP-DocVQA"
SPLITS = ("val", "train", "test")
TEXT_SOURCE = "Amazon Textract, as published with MP-DocVQA"


Window = tuple[str, tuple[str, ...]]
"""A document and those of its pages that a question is asked about."""


def load_mpdocvqa_split(
    split: str, *, path: Path | str | None = None, config: Path = CONFIGURATION
) -> Iterator[Sample]:
    """The samples of ``train``, ``val`` or ``test`` in the file's order, images opened sample by sample.

    ``meta`` has also ``page_ids`` and ``answer_page``, the gold page as a position in ``images`` that counts from 1
    (None where the split hides it).

    Where the files are: see ``cosee.datasets.locate.benchmark_folder``.

    Raises:
        ArtifactError: the files, the split's file or a page image is missing or not what it should be; names it.
    """
    folder = benchmark_folder("mp-docvqa", path=path, config=config)
    for where, row in _rows(folder, split):
        yield _sample(row, split, folder, where)


def build_dev_subset(
    split: str, max_samples: int, *, path: Path | str | None = None, config: Path = CONFIGURATION
) -> list[Sample]:
    """The first ``max_samples`` samples of a split: the same ones every time."""
    return list(islice(load_mpdocvqa_split(split, path=path, config=config), max(max_samples, 0)))


@importer(
    "mp-docvqa",
    order=40,
    layout="<split>.json, images/<page_id>.jpg and ocr/<page_id>.json",
    accepts=("split",),
    citation="Tito et al., Hierarchical multimodal transformers for Multipage DocVQA, 2023, arXiv 2212.05935",
)
def read_mpdocvqa(folder: Path, options: Options) -> Reading:
    """Questions of a split and the documents that they are asked about.

    Raises:
        ArtifactError: a file is missing, or a row has no id, document, question or pages; names it.
    """
    split = options.split or SPLITS[0]
    problems: list[Problem] = []
    rows = list(_rows(folder, split))
    windows = _windows(rows)
    documents = {name: PageSet([_page(folder, page) for page in pages]) for (_, pages), name in windows.items()}
    questions = [_question(where, row, windows, split, problems) for where, row in rows]
    text_source = TEXT_SOURCE if (folder / "ocr").is_dir() else None
    return Reading("mp-docvqa", questions, documents, problems, split, text_source)


def _rows(folder: Path, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if split not in SPLITS:
        raise ArtifactError(f"MP-DocVQA has the splits {', '.join(SPLITS)}, not {split!r}")
    yield from json_rows(first_file(folder, (f"{split}.json", f"question_answers/{split}.json")), "data")


def _window(row: dict[str, Any], where: str) -> Window:
    pages = row.get("page_ids")
    if not isinstance(pages, list) or not pages or not all(isinstance(page, str) and page for page in pages):
        raise ArtifactError(f"{where}: not a question of MP-DocVQA (page_ids {pages!r:.60} are no list of names)")
    return text(row, "doc_id", where), tuple(pages)


def _windows(rows: Sequence[tuple[str, dict[str, Any]]]) -> dict[Window, str]:
    """Window -> name of its document: the benchmark's name where it has one window, else with its first and last page
    behind it."""
    by_document: dict[str, dict[Window, None]] = {}
    for where, row in rows:
        window = _window(row, where)
        by_document.setdefault(window[0], {})[window] = None
    names: dict[Window, str] = {}
    for document, windows in by_document.items():
        for window in windows:
            name = document
            if len(windows) > 1:
                first, last = (page.removeprefix(f"{document}_") for page in (window[1][0], window[1][-1]))
                name = f"{document}_{first}-{last}"
            if name in names.values():
                name = f"{name}-{files.sha256_value(window)[:8]}"
            names[window] = name
    return names


def _page(folder: Path, page: str) -> PageFile:
    ocr = folder / "ocr"

    def words(size: tuple[int, int]) -> Sequence[Word]:
        path = ocr / f"{page}.json"
        if not inside(ocr, path):
            raise ValueError("no such file")
        return textract_words(read_ocr(path))

    picture = picture_file(folder / "images", folder / "images" / f"{page}.jpg")
    return PageFile(f"page {page}", picture, words if ocr.is_dir() else None)


def _question(
    where: str, row: dict[str, Any], windows: Mapping[Window, str], split: str, problems: list[Problem]
) -> Question:
    window = _window(row, where)
    answers = _answers(row, where)
    kind = infer_format(answers[0]) if answers else None
    index = row.get("answer_page_idx")
    known = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(window[1])
    if index is not None and not known:
        message = f"answer_page_idx {index!r:.20} is no position in the window of {len(window[1])} pages"
        problems.append(Problem(kind="gold_pages", where=where, message=message))
    return Question(
        question_id=text(row, "questionId", where),
        doc_id=windows[window],
        question=text(row, "question", where),
        answer=answers[0] if answers else None,
        answer_alt=list(answers[1:]),
        # Every answer is a text of the page: one in brackets is no list.
        answer_format="Str" if kind == "List" else kind,
        evidence_pages=[index + 1] if known and index is not None else [],
        source_dataset=NAME,
        split=split,
    )


def _answers(row: dict[str, Any], where: str) -> list[str]:
    answers = row.get("answers")
    if not isinstance(answers, list | None):
        raise ArtifactError(f"{where}: answers {answers!r:.60} are no list")
    return list(dict.fromkeys(str(answer) for answer in answers or [] if str(answer).strip()))


def _sample(row: dict[str, Any], split: str, folder: Path, where: str) -> Sample:
    document, pages = _window(row, where)
    index = row.get("answer_page_idx")
    meta = {
        "question_id": text(row, "questionId", where),
        "doc_id": document,
        "page_ids": list(pages),
        "split": split,
        "answer_page": index + 1 if isinstance(index, int) else None,
    }
    answers = _answers(row, where)
    images = [_image(folder, page, where) for page in pages]
    answer = answers[0] if len(answers) == 1 else answers
    return Sample(images=images, question=text(row, "question", where), answer=answer, meta=meta)


def _image(folder: Path, page: str, where: str) -> Any:
    path = folder / "images" / f"{page}.jpg"
    try:
        return decode_picture(picture_file(folder / "images", path)(), str(path)).convert("RGB")
    except (BadImage, PictureError) as error:
        raise ArtifactError(f"{where}: no page image {path} ({error})") from error
