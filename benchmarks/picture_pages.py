"""A dataset's documents as pictures of their pages, without a word of text: what a model then cites, it has seen.

``python -m benchmarks.picture_pages --data data/demo --work WORK``. Each PDF is drawn page by page into one without a
text layer, of the same sizes, and read with recognition off, up to its index. ``WORK/config.yaml`` and
``WORK/models.yaml`` are for ``benchmarks.real_model``, whose model is the server of ``benchmarks.seeing_server``; the
words of the dataset's own PDFs are then the truth of what the model's boxes are held against.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import yaml

from benchmarks.common import print_table
from benchmarks.doctree_read import read_document
from benchmarks.prepare import index_document
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.paths import Paths

RUN, DATASET = "pictures", "pictures"
METHODS = ["oracle_pages"]
"""A document without words cannot be searched: the pages that hold the answer are given."""


def as_pictures(source: Path, target: Path, dpi: int) -> None:
    """A PDF whose pages are pictures of another's, of the same sizes, as they are seen."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open(source) as written, pymupdf.open() as drawn:
        for page in written:
            picture = page.get_pixmap(dpi=dpi)
            new = drawn.new_page(width=page.rect.width, height=page.rect.height)
            new.insert_image(new.rect, stream=picture.tobytes("png"))
        drawn.save(target, no_new_id=True, deflate=True)


def make(data: Path, work: Path, dpi: int, server: str, documents: Sequence[str] | None = None) -> list[Path]:
    """The whole project below ``work``; the folders of its documents."""
    config = {
        "datasets": [DATASET],
        "data_dir": str(work / "data"),
        "indexes_dir": str(work / "indexes"),
        "results_dir": str(work / "results"),
        "adapt": {"ocr": "none"},
        "index": {**INDEX, "embedder": str(work / FOLDER)},
        "runs": {RUN: {"datasets": [DATASET], "model": "seeing", "methods": METHODS}},
    }
    entry = {"kind": "openai", "model": "seeing", "base_url": server, "concurrency": 1, "timeout": 900, "retries": 0}
    write_small_embedder(work / FOLDER)
    (work / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    (work / "models.yaml").write_text(yaml.safe_dump({"models": {"seeing": entry}}), encoding="utf-8")
    index = IndexSettings.model_validate(config["index"])
    questions = load_rows(Question, data / "qa" / "questions.jsonl")
    known = sorted({question.doc_id for question in questions})
    kept = [each for each in known if documents is None or each in documents]
    paths = Paths(work / "data", work / "indexes")
    shutil.rmtree(work / "data" / DATASET / "qa", ignore_errors=True)
    folders = []
    for doc_id in kept:
        doc = paths.folder(DATASET, doc_id)
        as_pictures(data / doc_id / "full.pdf", doc.data / "full.pdf", dpi)
        doc.questions.parent.mkdir(parents=True, exist_ok=True)
        save_rows(doc.questions, [question for question in questions if question.doc_id == doc_id])
        read_document(doc, AdaptSettings(ocr="none"))
        index_document(doc, index)
        folders.append(doc.data)
    save_rows(work / "data" / DATASET / "qa" / "questions.jsonl", [each for each in questions if each.doc_id in kept])
    return folders


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the project and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a dataset's folder: DOCUMENT/full.pdf and qa/")
    parser.add_argument("--work", type=Path, required=True, help="folder of the new project")
    parser.add_argument("--documents", nargs="+", help="only these")
    parser.add_argument("--dpi", type=int, default=200, help="resolution of the pictures")
    parser.add_argument("--server", default="http://127.0.0.1:8078/v1", help="address of the model that sees")
    options = parser.parse_args(arguments)
    rows: list[list[str | float | int | None]] = []
    for folder in make(options.data, options.work, options.dpi, options.server, options.documents):
        tree = DocTree.load(folder / "doctree.mm.json")
        rows.append([folder.name, len(tree.pages), sum(len(node.text) for node in tree.nodes)])
    print_table(["document", "pages", "characters of text"], rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
