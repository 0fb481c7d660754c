"""The documents whose structure is known, a folder of ``truth/`` and ``docs/``, read with M0 each once."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.doctree_headings import Title, fold
from benchmarks.doctree_read import STRIPPED, read_once, strip_structure
from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.code_closure import code_sha256
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage

CONTENT = "content_list.adapted.json"


@dataclass(frozen=True)
class Truth:
    """One document of the set."""

    doc_id: str
    family: str
    genre: str
    language: str
    complete: bool
    headings: Sequence[Title]
    pdf: Path


def read_truth(folder: Path, only: Sequence[str] = ()) -> list[Truth]:
    """The documents of a set, by id; those whose id holds one of the parts of ``only``, where there are any."""
    documents = []
    for path in sorted((folder / "truth").glob("*.json")):
        row = files.read_json(path)
        if only and not any(part in row["doc_id"] for part in only):
            continue
        rows = [each for each in row["headings"] if fold(each["title"])]
        # Of a document that was cut the levels may start anywhere.
        above = min(each["level"] for each in rows) - 1
        headings = [Title(each["title"], each["page"], each["level"] - above) for each in rows]
        documents.append(
            Truth(
                row["doc_id"], row["family"], row["genre"], row["language"], row["coverage"] == "full",
                headings, folder / "docs" / f"{row['doc_id']}.pdf",
            )
        )  # fmt: skip
    return documents


@dataclass(frozen=True)
class Reader:
    """Reads documents with M0, each once for its bytes and the stage's code, below ``work``."""

    work: Path
    outline: bool = False
    """Whether bookmarks and tags stay in."""

    def adapted(self, pdf: Path) -> ContentList | str:
        """The document's content list, or why there is none."""
        sha256, folder = files.sha256_file(pdf), self.folder(pdf)
        settings = AdaptSettings(ocr="none", pictures=False)
        key = files.sha256_value([sha256, _code(), settings.model_dump(mode="json")])
        doc = DocFolder("structure", pdf.stem, folder, folder)
        place = shutil.copyfile if self.outline else strip_structure
        failure = read_once(pdf, doc, key, place, lambda: AdaptStage().run(doc, settings))
        return failure or ContentList.load(folder / CONTENT)

    def folder(self, pdf: Path) -> Path:
        """Where what is made of the document lies."""
        return self.work / "structure" / (files.sha256_file(pdf)[:16] + ("" if self.outline else "-" + STRIPPED))


@cache
def _code() -> str:
    return code_sha256("cosee.stages.adapt")


def fold_of(family: str, folds: int) -> int:
    """The fold of a family: the same whatever else is in the set."""
    return hashlib.sha256(family.encode()).digest()[0] % folds
