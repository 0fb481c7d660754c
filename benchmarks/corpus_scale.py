"""The index of a large collection, made of the rows of known documents over and over: time, memory and disk."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path

import numpy

from cosee.retrieval.collection.rows import DocumentRows
from cosee.retrieval.collection.search import CollectionSearch
from cosee.retrieval.collection.store import Member, Shard, arrays_of, save_shard

NOISE = 0.02
"""Spread of what is added to each number of a copy's vectors."""
SHARD_ROWS = 1000
"""As many rows as a shard of the usual settings has pages."""

Query = tuple[Mapping[str, float], numpy.ndarray | None]
"""Terms with their weights, and the vector."""


def scale(
    documents: Mapping[str, DocumentRows],
    identity: tuple[str, str, int],
    queries: Sequence[Query],
    rows: int,
    folder: Path,
) -> dict[str, float]:
    """An index of at least ``rows`` rows in ``folder``, and what searching it takes, in CPU seconds of this process.

    The documents stand in it again and again under other names. A copy keeps the document's terms, so that the list of
    a term grows as the collection does, and its vectors with a little noise.
    """
    shards = _made(documents, identity, rows, folder)
    before = _resident_mb()
    started = time.process_time()
    search = CollectionSearch([("large", Shard(path)) for path in shards])
    opened = time.process_time() - started
    search.search(*queries[0])
    seconds = []
    for terms, vector in queries:
        started = time.process_time()
        search.search(terms, vector)
        seconds.append(time.process_time() - started)
    return {
        "rows": sum(shard.count for _, shard in search.shards),
        "documents": len(search.documents),
        "shards": len(shards),
        "queries": len(queries),
        "query_ms_mean": 1000 * float(numpy.mean(seconds)),
        "query_ms_p95": 1000 * float(numpy.quantile(seconds, 0.95)),
        "open_seconds": opened,
        "memory_mb": _resident_mb() - before,
        "disk_mb": sum(file.stat().st_size for path in shards for file in (path, arrays_of(path))) / 1e6,
    }


def _made(documents: Mapping[str, DocumentRows], identity: tuple[str, str, int], rows: int, folder: Path) -> list[Path]:
    generator = numpy.random.default_rng(0)
    shards: list[Path] = []
    members: list[Member] = []
    left = rows
    for number, (doc_id, each) in zip(count(), cycle(documents.items())):
        noise = generator.normal(0, NOISE, each.vectors.shape).astype(numpy.float32)
        members.append(Member(f"{doc_id}-{number}", replace(each, vectors=each.vectors + noise), "", ""))
        left -= each.rows
        if left <= 0 or sum(member.rows.rows for member in members) >= SHARD_ROWS:
            shards.append(folder / f"large-{len(shards):05d}.json")
            save_shard(shards[-1], members, [], identity)
            members = []
        if left <= 0:
            return shards
    return shards


def _resident_mb() -> float:
    """Memory of this process that is in use now, what is mapped from files among it."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
