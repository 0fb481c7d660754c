"""SlideVQA from files as its authors publish them, in either of two forms.

github.com/nttmdlab-nlp/SlideVQA: ``annotations/qa/<split>.jsonl`` (train, dev, test); ``images/<split>/<deck_name>/``
with the slides under the names of ``image_urls``, in whose order the slides count; OCR that its scripts make, in
``ocrs_visionAPI/`` (Google Cloud Vision, compressed) or ``ocrs_tesseract/``, a file a slide in the same folders.

huggingface.co/datasets/NTT-hil-insight/SlideVQA: ``data/<split>-*.parquet`` (train, val, test) with the slides as
columns ``page_1`` to ``page_20``; no OCR. A row that names no deck is known by its slides.

``evidence_pages`` count from 1. A slide that could not be downloaded stays a blank page, so that the others keep their
numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from cosee.artifacts.datasets.imports import Problem
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format
from cosee.datasets.image_pdf import BadImage
from cosee.datasets.importer import Options, importer
from cosee.datasets.invisible_text import Word
from cosee.datasets.page_images import PageFile, PageSet, picture_file
from cosee.datasets.placing import inside
from cosee.datasets.published_ocr import read_ocr, tesseract_words, vision_words
from cosee.datasets.reading import Reading
from cosee.datasets.rows import as_answer, first_file, gold_pages, jsonl_rows, table_rows, text

NAME = "SlideVQA"
SPLITS = ("dev", "train", "test")
SLIDES = 20
"""Slides of a deck, and so columns of a table."""
Cells = Callable[[Path, int, str], bytes | None]
"""(table, row, column) -> the picture in it."""
OCR_FOLDERS = {
    "ocrs_visionAPI": ("Google Cloud Vision, by SlideVQA's script", vision_words),
    "ocrs_tesseract": ("Tesseract, by SlideVQA's script", tesseract_words),
}
"""Folder of the published scripts' OCR -> what made it and how it is read; the first that is there is taken."""


@importer(
    "slidevqa",
    order=50,
    layout="annotations/qa/<split>.jsonl and images/<split>/, or data/<split>-*.parquet",
    accepts=("split",),
    citation="Tanaka et al., SlideVQA, AAAI 2023, arXiv 2301.04883",
)
def read_slidevqa(folder: Path, options: Options) -> Reading:
    """Questions of a split and the decks that they are asked about.

    Raises:
        ArtifactError: a file is missing, or a row has no id, deck or question; names it.
    """
    split = options.split or SPLITS[0]
    if split not in (*SPLITS, "val"):
        raise ArtifactError(f"SlideVQA has the splits {', '.join(SPLITS)}, not {split!r}")
    # The two forms call one split by two names.
    names = ("dev", "val") if split in ("dev", "val") else (split,)
    tables = [path for name in names for path in sorted(folder.glob(f"data/{name}-*.parquet"))]
    if tables:
        return _read_tables(folder, tables, split)
    return _read_annotations(folder, names, split)


def _question(row: Mapping[str, Any], deck: str, split: str, where: str, problems: list[Problem]) -> Question:
    answer = as_answer(row.get("answer"))
    answer = answer if isinstance(answer, str) else ", ".join(answer)
    kind = infer_format(answer) if answer.strip() else None
    return Question(
        question_id=text(row, "qa_id", where),
        doc_id=deck,
        question=text(row, "question", where),
        answer=NOT_ANSWERABLE if kind == "None" else answer.strip() or None,
        answer_format="Str" if kind == "List" else kind,
        evidence_pages=gold_pages(row.get("evidence_pages"), where, problems),
        task_type=str(row["reasoning_type"]) if row.get("reasoning_type") else None,
        source_dataset=NAME,
        split=split,
    )


def _read_annotations(folder: Path, names: Sequence[str], split: str) -> Reading:
    places = [f"{place}{name}.jsonl" for place in ("annotations/qa/", "qa/", "") for name in names]
    path = first_file(folder, places)
    ocr = next((name for name in OCR_FOLDERS if (folder / name).is_dir()), None)
    problems: list[Problem] = []
    questions: list[Question] = []
    decks: dict[str, Path | PageSet] = {}
    for where, row in jsonl_rows(path):
        deck = text(row, "deck_name", where)
        questions.append(_question(row, deck, split, where, problems))
        if deck not in decks:
            urls = row.get("image_urls")
            if not isinstance(urls, list) or not urls:
                raise ArtifactError(f"{where}: needs the list 'image_urls', whose order is that of the slides")
            slides = [str(url).rsplit("/", 1)[-1].split("?", 1)[0] for url in urls]
            decks[deck] = PageSet([_slide(folder, path.stem, deck, slide, ocr) for slide in slides])
    return Reading("slidevqa", questions, decks, problems, split, OCR_FOLDERS[ocr][0] if ocr else None)


def _slide(folder: Path, split: str, deck: str, slide: str, ocr: str | None) -> PageFile:
    images = folder / "images"

    def words(size: tuple[int, int]) -> Sequence[Word]:
        assert ocr is not None
        file = (folder / ocr / split / deck / slide).with_suffix(".json")
        if not inside(folder / ocr, file):
            raise ValueError("no such file")
        return OCR_FOLDERS[ocr][1](read_ocr(file), size)

    return PageFile(f"{deck}/{slide}", picture_file(images, images / split / deck / slide), words if ocr else None)


def _read_tables(folder: Path, tables: Sequence[Path], split: str) -> Reading:
    problems: list[Problem] = []
    questions: list[Question] = []
    decks: dict[str, Path | PageSet] = {}
    cells = _cells()
    for path in tables:
        for number, (where, row) in enumerate(table_rows(path)):
            columns = [f"page_{n}" for n in range(1, SLIDES + 1) if f"page_{n}" in row]
            slides = [_bytes(row[column]) for column in columns]
            while slides and slides[-1] is None:
                slides.pop()
            named = row.get("deck_name")
            deck = named if isinstance(named, str) and named else f"deck-{_digest(slides)}"
            questions.append(_question(row, deck, split, where, problems))
            pages = [_table_slide(cells, path, number, column, deck) for column in columns[: len(slides)]]
            decks.setdefault(deck, PageSet(pages))
    return Reading("slidevqa", questions, decks, problems, split)


def _table_slide(cells: Cells, path: Path, number: int, column: str, deck: str) -> PageFile:
    def read() -> bytes:
        data = cells(path, number, column)
        if data is None:
            raise BadImage("no picture in the table")
        return data

    return PageFile(f"{deck}, {column}", read)


def _cells() -> Cells:
    """Reads cells of tables. The last columns of a row group stay in memory: the next deck is mostly in them, too."""
    import pyarrow.parquet as pq

    @lru_cache(maxsize=SLIDES)
    def part(path: Path, group: int, column: str) -> Any:
        with pq.ParquetFile(path) as table:
            return table.read_row_group(group, columns=[column]).column(0)

    @lru_cache(maxsize=8)
    def sizes(path: Path) -> list[int]:
        with pq.ParquetFile(path) as table:
            return [table.metadata.row_group(group).num_rows for group in range(table.num_row_groups)]

    def cell(path: Path, number: int, column: str) -> bytes | None:
        for group, rows in enumerate(sizes(path)):
            if number < rows:
                return _bytes(part(path, group, column)[number].as_py())
            number -= rows
        return None

    return cell


def _bytes(value: Any) -> bytes | None:
    """The bytes of a picture as tables hold them."""
    data = value.get("bytes") if isinstance(value, dict) else value
    return data if isinstance(data, bytes) and data else None


def _digest(slides: Sequence[bytes | None]) -> str:
    whole = hashlib.sha256()
    for slide in slides:
        whole.update(hashlib.sha256(slide or b"").digest())
    return whole.hexdigest()[:16]
