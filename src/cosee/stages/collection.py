"""M2: the index that questions over several documents are searched in, made of the indexes of one shard's documents."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.base import load_rows
from cosee.artifacts.documents.collection import CollectionShard, MissingDocument
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, DiskFailure, sha256_file
from cosee.artifacts.ledger import LedgerRow
from cosee.index.store import MANIFEST, load_index
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.retrieval.collection.rows import document_rows
from cosee.retrieval.collection.store import Member, save_shard

log = logging.getLogger(__name__)


def build_shard(paths: Paths, dataset: str, shard: str, ledger: Path) -> CollectionShard:
    """Write ``indexes/<dataset>/.collection/<shard>.json`` and ``.bin`` of the documents of an index ledger.

    A document without an index, or with one that cannot be read, is listed as missing. Vectors are of one embedder:
    that of the first document which has any.

    Raises:
        ArtifactError: the ledger cannot be read.
    """
    members: list[Member] = []
    missing: list[MissingDocument] = []
    identity: tuple[str, str, int] = ("none", "", 0)
    for row in sorted(load_rows(LedgerRow, ledger), key=lambda row: row.doc_id):
        if row.status in ("failed", "skipped"):
            missing.append(MissingDocument(doc_id=row.doc_id, reason=row.reason or row.status))
            continue
        folder = paths.folder(dataset, row.doc_id)
        try:
            tree = DocTree.load(folder.data / "doctree.mm.json")
            index = load_index(folder.index, tree)
            if identity[0] == "none":
                identity = index.identity
            if index.identity not in (identity, ("none", "", 0)):
                raise ArtifactError(f"{folder.index}: of another embedder than {identity[0]}; redo the index stage")
        except ArtifactError as error:
            log.warning("%s: %s", row.doc_id, error)
            missing.append(MissingDocument(doc_id=row.doc_id, reason="no_index"))
            continue
        digests = (index.manifest.tree_sha256, sha256_file(folder.index / MANIFEST))
        members.append(Member(row.doc_id, document_rows(tree, index), *digests))
    return save_shard(paths.collection(dataset, shard), members, missing, identity)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write one shard of the index; returns 0, 1 where the disk is broken, or 2 where the ledger is faulty."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.collection", description=main.__doc__)
    parser.add_argument("--dataset", required=True, help="name of the folder below --data")
    parser.add_argument("--shard", required=True, help="shard of documents.tsv, e.g. 0000")
    parser.add_argument("--ledger", required=True, type=Path, help="ledger of the shard's index stage")
    project_arguments(parser)
    options = parser.parse_args(arguments)
    paths = begin(options)
    try:
        shard = build_shard(paths, options.dataset, options.shard, options.ledger)
    except (ArtifactError, DiskFailure) as error:
        log.error("%s", error)
        return 1 if isinstance(error, DiskFailure) else 2
    log.info("%s: %d documents, %d missing", options.shard, len(shard.documents), len(shard.missing))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
