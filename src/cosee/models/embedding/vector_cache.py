"""A cache of vectors on disk, keyed by the sha256 of the text; one file a model revision, safe to append to.

The file is a row of fixed-size records (32 bytes sha256 of the text, the float32 vector, 4 bytes CRC-32). A record
cut off by a kill is cut away before the next append; a record whose CRC is wrong is not used. The cache never changes
a result: a vector depends on its text alone.
"""

from __future__ import annotations

import fcntl
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.artifacts import files

if TYPE_CHECKING:
    import numpy as np


class VectorCache:
    """Vectors of one embedder revision; ``get`` and ``put`` by hex sha256 of the text."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self.dimensions = dimensions
        self._record_size = 32 + 4 * dimensions + 4
        self._offsets: dict[bytes, int] = {}
        self._read_to = 0

    def get(self, keys: list[str]) -> dict[str, np.ndarray]:
        """The vectors that are there, by key; damaged records count as absent."""
        import numpy

        self._read_new_keys()
        wanted = [(key, self._offsets[bytes.fromhex(key)]) for key in keys if bytes.fromhex(key) in self._offsets]
        found: dict[str, np.ndarray] = {}
        if not wanted:
            return found
        with open(self.path, "rb") as handle:
            for key, offset in sorted(wanted, key=lambda pair: pair[1]):
                handle.seek(offset)
                record = handle.read(self._record_size)
                if len(record) == self._record_size and zlib.crc32(record[:-4]) == int.from_bytes(record[-4:], "big"):
                    found[key] = numpy.frombuffer(record[32:-4], dtype="<f4")
        return found

    def put(self, vectors: dict[str, np.ndarray]) -> None:
        """Append vectors; several processes may append to one file."""
        records = []
        for key, vector in vectors.items():
            body = bytes.fromhex(key) + vector.astype("<f4").tobytes()
            if len(body) != self._record_size - 4:
                raise ValueError(f"{self.path}: a vector of {len(vector)} numbers in a cache of {self.dimensions}")
            records.append(body + zlib.crc32(body).to_bytes(4, "big"))
        if not records:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with files.writing(self.path), open(self.path, "ab") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            end = handle.seek(0, 2)
            if end % self._record_size:
                handle.truncate(end - end % self._record_size)
            handle.write(b"".join(records))

    def forget(self, keys: Collection[str]) -> None:
        """Write the file again without the vectors of ``keys``; to be called while nobody else uses it."""
        gone = {bytes.fromhex(key) for key in keys}
        if not gone or not self.path.exists():
            return
        data = files.read_bytes(self.path)
        size = self._record_size
        records = [data[start : start + size] for start in range(0, len(data) - len(data) % size, size)]
        kept = [record for record in records if record[:32] not in gone]
        if len(kept) < len(records):
            files.write_bytes(self.path, b"".join(kept))
        self._offsets, self._read_to = {}, 0

    def _read_new_keys(self) -> None:
        """Keys appended since the last look, by this or another process."""
        if not self.path.exists():
            return
        with open(self.path, "rb") as handle:
            handle.seek(self._read_to)
            while len(record := handle.read(self._record_size)) == self._record_size:
                self._offsets[record[:32]] = self._read_to
                self._read_to += self._record_size
