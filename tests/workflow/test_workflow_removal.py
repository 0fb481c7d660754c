"""A document that leaves: by another `init` of a folder that lost it, and by `cosee remove`, after which no file of the
project holds a word of its text."""

import csv
import gzip
import io
import json
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pymupdf
import pytest
from helpers.machine import write_scan
from helpers.project import CONFIG, Project, write_document

from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.results.changed_run import ChangedRun

PHRASE = "quartzlinden"
"""A word that stands in the document and in its question, and nowhere else."""
SETTINGS = {
    **CONFIG,
    "runs": {"tiny": {"datasets": ["tiny"], "methods": ["page_rag", {"strategy": "cosee", "max_steps": 2}]}},
}


class Typing(Project):
    """A project in which the commands of `cosee` are typed."""

    def cosee(self, *arguments: str) -> str:
        result = subprocess.run(
            [sys.executable, "-m", "cosee.cli", *arguments],
            cwd=self.folder,
            env={**self.environment(), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout


def unpacked(name: str, data: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """The bytes of a file, and of what is packed inside it: archives, streams of PDFs, columns of Parquet."""
    yield name, data
    if depth > 2:
        return
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.namelist():
                yield from unpacked(f"{name}!{entry}", archive.read(entry), depth + 1)
    elif data.startswith(b"\x1f\x8b"):
        yield from unpacked(f"{name}!gz", gzip.decompress(data), depth + 1)
    elif data.startswith(b"PAR1"):
        yield f"{name}!rows", str(pyarrow.parquet.read_table(io.BytesIO(data)).to_pydict()).encode()
    elif data.startswith(b"%PDF"):
        with pymupdf.open(stream=data) as document:
            yield f"{name}!text", "".join(page.get_text() for page in document).encode()
            for number in range(1, document.xref_length()):
                yield f"{name}!{number}", document.xref_object(number).encode() + (document.xref_stream(number) or b"")
    elif data.startswith(b"\x89PNG"):
        yield f"{name}!chunks", b"".join(_texts_of_png(data))


def _texts_of_png(data: bytes) -> Iterator[bytes]:
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if kind in (b"tEXt", b"iTXt"):
            yield body
        elif kind == b"zTXt":
            yield zlib.decompress(body.split(b"\0", 1)[1][1:])
        at += size + 12


def holding(folder: Path, words: list[str]) -> list[str]:
    """Files below ``folder`` that hold one of the words, in any of the usual encodings, or are called so."""
    wanted = [word.casefold().encode(encoding) for word in words for encoding in ("utf-8", "utf-16-le")]
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name.split("/")[0] not in ("src", "workflow", "profiles"):
            for inner, data in unpacked(name, path.read_bytes()):
                if any(word in data.lower() for word in wanted):
                    found.append(inner)
    return found


@pytest.mark.slow
def test_nothing_of_a_removed_document_is_left_in_the_project(tmp_path):
    project = Typing.create(tmp_path / "project", SETTINGS)
    project.__class__ = Typing
    fact = f"The {PHRASE} ferry carried 8321 passengers in 1901."
    write_document(project.data / "secret" / "full.pdf", f"{PHRASE.title()} Ferry", fact)
    if shutil.which("tesseract"):
        write_scan(project.data / "scanned" / "full.pdf", [f"The {PHRASE} ferry was sold", "for 77 crowns in May."])
    with (project.data / "qa" / "questions.jsonl").open("a") as questions:
        for doc_id in ("secret", "scanned"):
            text = f"How many passengers did the {PHRASE} ferry carry?"
            row = {"question_id": f"{doc_id}-1", "doc_id": doc_id, "question": text, "answer": "8321"}
            questions.write(json.dumps({**row, "answer_format": "Int", "evidence_pages": [1]}) + "\n")
    project.run("results/report/index.html", "results/tiny/exports/tables.jsonl", "results/tiny/exports/pdf.jsonl")
    before = holding(project.folder, [PHRASE])
    kinds = [
        "layout.json",
        "doctree.mm.json",
        "dense_leaf.jsonl",
        "questions.jsonl",
        "/traces/",
        "/journal/",
        "/report/",
    ]
    missing = [kind for kind in kinds if not any(kind in name for name in before)]
    assert missing == [], "the search would not find what is there"

    told = project.cosee("remove", "tiny", "secret", *(["scanned"] if shutil.which("tesseract") else []))
    assert "removed secret" in told and "changed: tiny" in told
    assert holding(project.folder, [PHRASE]) == []
    rows = load_sheet(project.data / "documents.tsv")
    assert "secret" not in current(rows)
    buried = [row for row in rows if row.doc_id == "secret"]
    assert [row.state for row in buried] == ["present", "removed"] and len(buried[-1].sha256) == 64
    assert {each.doc_id for each in ChangedRun.load(project.results / "tiny" / "changed.json").removed} >= {"secret"}
    named = [name for name in holding(project.folder, ["secret"]) if not name.startswith(".snakemake/")]
    assert named == ["data/tiny/documents.tsv", "results/tiny/changed.json"]

    # What is left is whole: the next run makes what hung on all documents together, and asks nothing anew.
    stamps = {stage: project.stamps(stage) for stage in ("adapt", "index")}
    project.run("results/report/index.html", "results/tiny/exports/tables.jsonl")
    assert {stage: project.stamps(stage) for stage in stamps} == stamps
    assert holding(project.folder, [PHRASE]) == []
    summary = json.loads((project.results / "metrics_summary.json").read_text())
    assert summary["runs"]["tiny"]["counts"]["questions"] == {"ok": 6}
    assert sum(summary["runs"]["tiny"]["counts"]["documents"].values()) == 3


@pytest.mark.slow
def test_a_document_that_leaves_the_folder_leaves_the_dataset(tmp_path):
    removed_document(tmp_path, *make_notices(tmp_path))


@pytest.mark.slow
@pytest.mark.shared
def test_the_shared_report_of_a_removed_document(shared, tmp_path):
    folder = shared / "reports" / "removed-document"
    removed_document(tmp_path, folder / "pdfs", folder / "q.csv", folder / "q_after.csv")


def make_notices(folder: Path) -> tuple[Path, Path, Path]:
    rows = [["file", "question", "answer"]]
    for name, fee in (("notice_a", "4,310"), ("notice_b", "5,270")):
        write_document(
            folder / "own" / f"{name}.pdf", "Water board", f"The annual fee of a connection is {fee} crowns."
        )
        rows.append([f"{name}.pdf", "What is the annual fee of a connection?", fee])
    for name, kept in (("q.csv", rows), ("q_after.csv", rows[:2])):
        with (folder / name).open("w", newline="") as handle:
            csv.writer(handle).writerows(kept)
    return folder / "own", folder / "q.csv", folder / "q_after.csv"


def removed_document(tmp_path: Path, documents: Path, questions: Path, after: Path) -> None:
    pdfs = tmp_path / "pdfs"
    shutil.copytree(documents, pdfs)
    config = {
        **CONFIG,
        "datasets": ["notices"],
        "runs": {"notices": {"datasets": ["notices"], "methods": ["page_rag"]}},
    }
    project = Typing.create(tmp_path / "project", config)
    project.__class__ = Typing
    first = project.cosee("init", "notices", "--documents", str(pdfs), "--questions", str(questions))
    assert "2 documents, 2 questions" in first and "removed" not in first
    again = project.cosee("init", "notices", "--documents", str(pdfs), "--questions", str(questions))
    assert "nothing was added, changed or removed since the last time" in again
    project.run("results/report/index.html")
    pages = project.folder / "results" / "report"
    assert any("notice_b" in path.name or "notice_b" in str(path) for path in pages.rglob("*"))

    (pdfs / "notice_b.pdf").unlink()
    told = project.cosee("init", "notices", "--documents", str(pdfs), "--questions", str(after))
    assert "1 document, 1 question" in told
    assert "1 document removed: notice_b" in told and "1 question removed: notice_b#0003" in told
    sheet = project.folder / "data" / "notices" / "documents.tsv"
    assert list(current(load_sheet(sheet))) == ["notice_a"]
    project.run("results/report/index.html")
    summary = json.loads((project.folder / "results" / "metrics_summary.json").read_text())
    counts = summary["runs"]["notices"]["counts"]
    assert sum(counts["documents"].values()) == 1 and sum(counts["questions"].values()) == 1
    left = [
        name
        for name in holding(project.folder / "results", ["notice_b"])
        if name.split("/")[1:2] not in (["answers"], ["traces"], ["journal"], ["measured"], [".stamps"])
    ]
    assert left == []
