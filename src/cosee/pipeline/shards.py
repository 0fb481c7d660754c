"""What the scheduler writes before anything runs: the document sheet, and for each shard the few small files through
which its jobs see their own rows, their own questions and what a person changed by hand, never the whole.

Every file is rewritten only when its content changes, so that an untouched shard stays done.
"""

from __future__ import annotations

import logging
import os
import stat
from collections import defaultdict
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.datasets import documents
from cosee.artifacts.datasets.documents import DocumentRow
from cosee.artifacts.datasets.passwords import SHEET, read_passwords
from cosee.artifacts.datasets.questions import Question, load_questions
from cosee.artifacts.documents.original import original_in
from cosee.artifacts.ledger import OutputTable
from cosee.machine import found_of
from cosee.pipeline.page_count import count_pages
from cosee.pipeline.paths import GIVEN, RESERVED, Paths, Place

logger = logging.getLogger(__name__)
PDF_NAME = "full.pdf"
QUESTIONS_A_SHARD = 100
"""Questions over several documents that one job takes."""


def sync_dataset(paths: Paths, dataset: str, shard_pages: int) -> dict[str, list[DocumentRow]]:
    """Bring sheet and shard files of a dataset in step with its folders; returns shard -> present documents.

    Raises:
        ArtifactError: there is no such dataset, or its questions or one of its sheets cannot be read.
    """
    folder = paths.dataset(dataset)
    if not folder.is_dir():
        raise files.ArtifactError(f"{folder}: no such dataset folder; make it with 'cosee init' or fix 'datasets'")
    for own in (paths.shards(dataset), folder / ".ledger"):
        if own.is_symlink():
            raise files.ArtifactError(f"{own}: is a link, and the pipeline writes there; remove it")
    rows = _sync_sheet(paths, dataset, shard_pages)
    shards = shards_of(rows)
    if not shards:
        raise files.ArtifactError(
            f"{folder}: no documents; put PDFs at {folder}/<doc_id>/{PDF_NAME}, other files by 'cosee init'"
        )
    passwords = read_passwords(folder / SHEET).keys()
    for shard, members in shards.items():
        write_if_changed(paths.rows(dataset, shard), [_row(paths, dataset, row, passwords) for row in members])
    _sync_questions(paths, dataset, shards)
    return shards


def _row(paths: Paths, dataset: str, row: DocumentRow, passwords: Container[str]) -> dict[str, str]:
    """What decides a document's first stage: its file, its password, and what another reader made of it.

    For the password stands when its sheet was written: nothing of it may get into a file of ours.
    """
    entry = {"doc_id": row.doc_id, "sha256": row.sha256}
    if row.doc_id in passwords:
        entry["password"] = str((paths.dataset(dataset) / SHEET).stat().st_mtime_ns)
    given = {name: f"{paths.data}/{dataset}/{row.doc_id}/{path}" for name, path in GIVEN.items()}
    return entry | {name: files.sha256_file(Path(path)) for name, path in given.items() if os.path.isfile(path)}


def shards_of(rows: list[DocumentRow]) -> dict[str, list[DocumentRow]]:
    """Shard -> its present documents by doc_id. A shard whose documents are all gone is left out."""
    shards: dict[str, list[DocumentRow]] = defaultdict(list)
    for row in documents.current(rows).values():
        shards[row.shard].append(row)
    return {shard: sorted(shards[shard], key=lambda row: row.doc_id) for shard in sorted(shards)}


def write_if_changed(path: Path, value: Any) -> None:
    """Write JSON unless the file already says so."""
    if path.exists():
        try:
            if files.read_json(path) == value:
                return
        except files.ArtifactError:
            logger.warning("%s was unreadable and is written again", path)
    files.write_json(path, value)


def sync_state(place: Place) -> None:
    """Note in the state file which outputs were edited or deleted since the job wrote them, whose process was killed
    while it did, and what documents lacked then and is on the machine now.

    Without a deviation the file keeps its content: what the job has already dealt with must not make it stale again.
    """
    try:
        generation, outputs, killed, lacked = OutputTable.scan(place.outputs)
    except files.ArtifactError:
        if not place.state.exists():
            files.write_json(place.state, {})
        return
    deviations = {}
    for name, (size, mtime_ns, sha256) in outputs.items():
        try:
            status = os.stat(name)
        except OSError:
            deviations[name] = "missing"
            continue
        if status.st_mtime_ns != mtime_ns or status.st_size != size:
            current = files.sha256_file(Path(name))
            if current != sha256:
                deviations[name] = current
    noted: dict[str, Any] = {"files": deviations, "killed": killed}
    found = found_of(lacked)
    if found:
        noted["found"] = found
    if any(noted.values()):
        write_if_changed(place.state, {"generation": generation, **noted})
    elif not place.state.exists():
        write_if_changed(place.state, {})


def _sync_sheet(paths: Paths, dataset: str, shard_pages: int) -> list[DocumentRow]:
    sheet = paths.sheet(dataset)
    rows = documents.load_sheet(sheet)
    known = documents.current(rows)
    hashes = _pdf_hashes(paths, dataset)
    news: list[DocumentRow] = [
        row.model_copy(update={"state": "removed"}) for doc_id, row in known.items() if doc_id not in hashes
    ]
    fresh = [doc_id for doc_id in hashes if doc_id not in known or known[doc_id].sha256 != hashes[doc_id]]
    given = {doc_id: given_file(paths.folder(dataset, doc_id).data) for doc_id in fresh}
    pages = count_pages(list(given.values())) if fresh else {}
    totals: dict[str, int] = dict.fromkeys((row.shard for row in rows), 0)
    for row in known.values():
        totals[row.shard] += row.pages
    for doc_id in fresh:
        count = pages[given[doc_id]]
        shard = known[doc_id].shard if doc_id in known else _shard_for(totals, count, shard_pages)
        totals[shard] = totals.get(shard, 0) + count
        news.append(DocumentRow(doc_id=doc_id, sha256=hashes[doc_id], pages=count, shard=shard))
    if news:
        rows = [*rows, *news]
        documents.save_sheet(sheet, rows)
    return rows


def given_file(folder: Path) -> Path:
    """What a person gave as the document: a file of another kind that a PDF is made from, else the PDF."""
    return original_in(folder) or folder / PDF_NAME


def _shard_for(totals: dict[str, int], pages: int, shard_pages: int) -> str:
    """The last shard while it has room, else a new one."""
    if not totals:
        return "0000"
    last = max(totals)
    if totals[last] + pages <= shard_pages or not totals[last]:
        return last
    return f"{int(last) + 1:04d}"


def _pdf_hashes(paths: Paths, dataset: str) -> dict[str, str]:
    """doc_id -> sha256 of the documents that are there, as they were given, hashing only files whose size or mtime
    changed since last time.

    Raises:
        ArtifactError: a folder with a document has a name that cannot be a document's.
    """
    memory = paths.shards(dataset) / "pdf_hashes.json"
    known = _readable(memory)
    fresh: dict[str, list[Any]] = {}
    folder = paths.dataset(dataset).as_posix()
    for doc_id in sorted(os.listdir(folder)):
        if doc_id in RESERVED or doc_id.startswith("."):
            continue
        path = original_in(f"{folder}/{doc_id}") or f"{folder}/{doc_id}/{PDF_NAME}"
        try:
            status = os.stat(path)
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        if not documents.is_doc_id(doc_id):
            raise files.ArtifactError(
                f"{folder}: the folder {doc_id!r} cannot be a document: its name holds a control character, a line end "
                "or bytes that are not UTF-8, or begins like a formula; rename it"
            )
        entry = known.get(doc_id)
        if not entry or entry[:2] != [status.st_size, status.st_mtime_ns]:
            entry = [status.st_size, status.st_mtime_ns, files.sha256_file(Path(path))]
        fresh[doc_id] = entry
    if fresh != known:
        files.write_json(memory, fresh)
    return {doc_id: str(entry[2]) for doc_id, entry in fresh.items()}


def _sync_questions(paths: Paths, dataset: str, shards: dict[str, list[DocumentRow]]) -> None:
    """Split the questions by document, and write each shard's question hashes."""
    by_doc: dict[str, list[Question]] = defaultdict(list)  # those over several documents stand under no document
    for question in load_questions(paths.question_file(dataset)):
        by_doc[question.doc_id].append(question)
    # A string, since there is one for each document and joining paths takes longer than looking at the file.
    before, after = paths.folder(dataset, "{}").questions.as_posix().rsplit("{}", 1)
    for shard, members in shards.items():
        state = paths.question_state(dataset, shard)
        known = _readable(state)
        hashes = {}
        for row in members:
            lines = [question.model_dump(mode="json") for question in by_doc[row.doc_id]]
            text = "".join(files.canonical_json(line) + "\n" for line in lines).encode("utf-8")
            hashes[row.doc_id] = files.sha256_bytes(text)
            target = f"{before}{row.doc_id}{after}"
            if known.get(row.doc_id) != hashes[row.doc_id] or _size(target) != len(text):
                files.write_bytes(Path(target), text)
        if hashes != known:
            files.write_json(state, hashes)


def collection_shards(questions: Iterable[Question]) -> dict[str, list[Question]]:
    """Shard -> its questions over several documents; names begin with ``c``, those of documents' shards do not."""
    asked = [question for question in questions if not question.doc_id]
    return {
        f"c{number:04d}": asked[first : first + QUESTIONS_A_SHARD]
        for number, first in enumerate(range(0, len(asked), QUESTIONS_A_SHARD))
    }


def sync_collection(paths: Paths, dataset: str) -> dict[str, list[str]]:
    """Write the shards of a dataset's questions over several documents; returns shard -> places of its questions."""
    shards = collection_shards(load_questions(paths.question_file(dataset)))
    for shard, questions in shards.items():
        texts = {each.place: files.canonical_json(each.model_dump(mode="json")) + "\n" for each in questions}
        for place, text in texts.items():
            target = paths.folder(dataset, place).questions
            if not target.exists() or files.read_bytes(target) != text.encode("utf-8"):
                files.write_text(target, text)
        hashes = {place: files.sha256_bytes(text.encode("utf-8")) for place, text in texts.items()}
        write_if_changed(
            paths.rows(dataset, shard), [{"doc_id": place, "sha256": each} for place, each in hashes.items()]
        )
        write_if_changed(paths.question_state(dataset, shard), hashes)
    return {shard: [each.place for each in questions] for shard, questions in shards.items()}


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _readable(path: Path) -> dict[str, Any]:
    """The file's mapping; empty where it is not there or cannot be read."""
    try:
        value = files.read_json(path) if path.exists() else {}
    except files.ArtifactError:
        value = {}
    return value if isinstance(value, dict) else {}
