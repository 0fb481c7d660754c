"""A project of many documents made of one of few: what the pipeline made of these, copied under other ids.

To run 10,000 documents takes half an hour, to copy them minutes. Every hash of the copies' stamps is that of the
copied file, so that the workflow takes every document as done and only writes its ledgers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale_corpus import DATASET, doc_id_of
from cosee.artifacts import files
from cosee.artifacts.datasets.documents import load_sheet, save_sheet
from cosee.artifacts.ledger import Stamp
from cosee.pipeline.paths import Paths

BINARY = (".pdf", ".png", ".npy", ".npz", ".parquet")
"""Files that name no document: the copy is a hard link."""
OF_A_SHARD = re.compile(r"^(data|indexes)/\w+/\.(ledger|shards/[^/]+$)|^results/\w+/(ledger|\.shards)/")
"""Ledgers, tables and states, which the jobs and the scheduler write again."""
OF_A_RUN = re.compile(r"^results/(?!\.cache/|\w+/(answers|traces|journal|measured|\.stamps)/)")
"""Predictions, figures and the report, which are made of all documents."""
ROOTS = ("data", "indexes", "results")


def multiply(folder: Path, count: int, shard_documents: int) -> None:
    """``count`` documents in a project folder that holds ``d00000`` and up, run to its end and now to be run again.

    Document ``number`` is a copy of ``number`` modulo what is there, its question with it.
    """
    paths = Paths(folder / "data", folder / "indexes", folder / "results")
    sheet = load_sheet(paths.sheet(DATASET))
    known = {row.doc_id: row for row in sorted(sheet, key=lambda row: row.doc_id)}
    names = list(known)
    of_document = _files_by_document(folder, names)
    copies = {doc_id_of(number): names[number % len(names)] for number in range(len(names), count)}
    for target, source in copies.items():
        _copy(folder, of_document[source], source, target)
    for name in _files(folder):
        if OF_A_SHARD.match(name) or OF_A_RUN.match(name):
            (folder / name).unlink()
    rows = list(files.read_jsonl(paths.question_file(DATASET)))
    asked = {row["doc_id"]: row for row in rows}
    rows += [{**asked[source], "doc_id": each, "question_id": f"{each}-1"} for each, source in copies.items()]
    files.write_jsonl(paths.question_file(DATASET), rows)
    whole = [*names, *copies]
    shards = {doc_id: f"{number // shard_documents:04d}" for number, doc_id in enumerate(whole)}
    save_sheet(
        paths.sheet(DATASET),
        [
            known[copies.get(doc_id, doc_id)].model_copy(update={"doc_id": doc_id, "shard": shards[doc_id]})
            for doc_id in whole
        ],
    )
    for shard in sorted(set(shards.values())):
        members = [doc_id for doc_id in whole if shards[doc_id] == shard]
        hashes = {doc_id: files.sha256_file(paths.folder(DATASET, doc_id).questions) for doc_id in members}
        files.write_json(paths.question_state(DATASET, shard), hashes)


def _copy(folder: Path, names: list[str], source: str, target: str) -> None:
    """A document's files under another id, the stamps last, since they hold hashes of the others."""
    pattern = re.compile(rf"(?<![0-9a-f]){source}(?![0-9])")
    for name in sorted(names, key=lambda name: "/.stamps/" in name):
        path = folder / pattern.sub(target, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in BINARY:
            path.unlink(missing_ok=True)
            os.link(folder / name, path)
        else:
            path.write_text(pattern.sub(target, (folder / name).read_text(encoding="utf-8")), encoding="utf-8")
        if "/.stamps/" in name:
            _stamp_again(folder, path)


def _files(folder: Path) -> Iterator[str]:
    for root in ROOTS:
        for place, _, names in os.walk(folder / root):
            relative = Path(place).relative_to(folder).as_posix()
            yield from (f"{relative}/{name}" for name in names)


def _files_by_document(folder: Path, known: list[str]) -> dict[str, list[str]]:
    """Document -> its files, whose paths name it, without what a run makes of all documents."""
    found: dict[str, list[str]] = {doc_id: [] for doc_id in known}
    for name in sorted(_files(folder)):
        if OF_A_RUN.match(name):
            continue
        for doc_id in dict.fromkeys(re.findall(r"(?<![0-9a-f])d\d{5}", name)):
            found[doc_id].append(name)
    return found


def _stamp_again(folder: Path, path: Path) -> None:
    """Give a copied stamp the hashes of the files that it names; parts of files and absent ones stay."""
    stamp = Stamp.load(path)
    row = stamp.row

    def again(hashes: dict[str, str]) -> dict[str, str]:
        return {
            name: files.sha256_file(folder / name) if (folder / name).is_file() else sha256
            for name, sha256 in hashes.items()
        }

    copied = row.model_copy(update={"inputs": again(row.inputs), "outputs": again(row.outputs)})
    # Written plainly: to wait for the disk at each of them would take longer than all the rest.
    path.write_text(files.document_json(stamp.model_copy(update={"row": copied}).to_json()), encoding="utf-8")
