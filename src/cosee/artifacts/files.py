"""Reading and writing files: atomic, canonical, and the only place that does either.

A file appears under its name whole or not at all: bytes go to a temporary file in the same folder, are
fsynced, renamed, and the folder is fsynced. The temporary file is named after its target, so that what a kill leaves
is taken over by the next write of that file. JSON is canonical (sorted keys, no NaN, ``\\n`` line ends), so that equal
content means equal bytes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"), check_circular=False
)


_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


class ArtifactError(ValueError):
    """A file that is missing, unreadable or not what its name promises; the message says which, where and why."""


class JobFailure(BaseException):
    """What a job needs is broken: no document or question is at fault, and the program has to stop with status 1.

    Not an Exception, so that no guard around a document or a question takes it for a failure of theirs.
    """


class DiskFailure(JobFailure):
    """The disk is full, read-only or broken."""


_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG, errno.ESTALE}


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into a DiskFailure that names the file; other errors pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        raise DiskFailure(
            f"{path}: cannot be written ({error.strerror}); mend that, then run the same command again: what is done "
            "is kept"
        ) from error


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically and durably, making parent folders.

    Raises:
        DiskFailure: the disk is full or broken; the file is what it was before.
    """
    _write_parts(path, [data])


def _write_parts(path: Path, parts: Iterable[bytes]) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary(path)
        with _open_alone(temporary) as handle:
            try:
                handle.writelines(parts)
                handle.flush()
                os.fsync(handle.fileno())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        fsync_folder(path.parent)


def _temporary(path: Path) -> Path:
    """The one temporary file of ``path``; its name says so where the file system's 255 bytes allow."""
    fits = len(os.fsencode(path.name)) <= 250
    return path.with_name(f".{path.name}.tmp" if fits else f".{sha256_bytes(os.fsencode(path.name))}.tmp")


def _open_alone(temporary: Path) -> IO[bytes]:
    """Open a temporary file, empty; whoever writes the same target waits until it is closed.

    What a killed writer left is taken over, unless it is a link: its other name is somebody's file.
    """
    while True:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        handle = open(descriptor, "wb")  # noqa: SIM115 - the open file is the lock
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            mine = os.fstat(descriptor)
            if mine.st_nlink > 1:
                temporary.unlink(missing_ok=True)
            elif mine.st_nlink == 1 and _is_at(temporary, mine):
                handle.truncate(0)
                return handle
        except BaseException:
            handle.close()
            raise
        handle.close()  # renamed or removed while we waited for its lock


def _is_at(path: Path, opened: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.lstat(), opened)
    except FileNotFoundError:
        return False


def fsync_folder(folder: Path) -> None:
    """Make a rename inside ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_bytes(path, text.encode("utf-8"))


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and without NaN or infinity; equal values give equal strings.

    Raises:
        ArtifactError: the value holds NaN, infinity or something that JSON cannot carry.
    """
    try:
        return _ENCODER.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise ArtifactError(f"value cannot be written as canonical JSON: {error}") from error


def document_json(value: Any) -> str:
    """Canonical JSON laid out for a person: a mapping of mappings has a line a key, a list of objects a line an
    object, so that a node or an item is one line that can be found, compared and edited."""
    return "".join(_document_parts(value))


def _document_parts(value: Any) -> Iterator[str]:
    """The text of ``document_json`` in parts, so that a long document is never held as one string.

    An iterator among the values of a mapping stands for a list of objects, and is used up as the text is made.
    """
    if not isinstance(value, dict):
        yield _value(value, 0) + "\n"
        return
    opening = "{\n "
    for key in sorted(value):
        yield f"{opening}{canonical_json(key)}: "
        opening = ",\n "
        if isinstance(value[key], Iterator):
            yield from _list_parts(value[key])
        else:
            yield _value(value[key], 1)
    yield "\n}\n" if value else "{}\n"


def _list_parts(entries: Iterator[dict[str, Any]]) -> Iterator[str]:
    opening = "[\n  "
    for entry in entries:
        yield opening + _entry(entry, 1)
        opening = ",\n  "
    yield "\n ]" if opening[0] == "," else "[]"


def _mapping(value: dict[str, Any], depth: int) -> str:
    return _block("{}", [f"{canonical_json(key)}: {_value(value[key], depth + 1)}" for key in sorted(value)], depth)


def _value(value: Any, depth: int) -> str:
    if isinstance(value, dict) and any(isinstance(entry, dict | list) for entry in value.values()):
        return _mapping(value, depth)
    if isinstance(value, list) and any(isinstance(entry, dict | list) for entry in value):
        return _block("[]", [_entry(entry, depth) for entry in value], depth)
    return canonical_json(value)


def _entry(entry: Any, depth: int) -> str:
    """An entry of a list at ``depth``."""
    return _mapping(entry, depth + 1) if _holds_many(entry) else canonical_json(entry)


def _holds_many(entry: Any) -> bool:
    """Whether an entry of a list holds a long list of objects itself, as a page of a layout does its blocks."""
    if isinstance(entry, dict):
        for inner in entry.values():
            if isinstance(inner, list) and len(inner) > 8 and isinstance(inner[0], dict):
                return True
    return False


def _block(brackets: str, lines: list[str], depth: int) -> str:
    pad = "\n" + " " * depth
    return f"{brackets[0]}{pad} " + f",{pad} ".join(lines) + f"{pad}{brackets[1]}" if lines else brackets


def write_json(path: Path, value: Any) -> None:
    """Write one JSON document in the layout of ``document_json``.

    An iterator among the values of a mapping is written as the list of its objects, one at a time.
    """
    _write_parts(path, (part.encode("utf-8") for part in _document_parts(value)))


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one canonical JSON document a line."""
    write_bytes(path, _lines(rows))


def _lines(rows: Iterable[Any]) -> bytes:
    import jsonlines

    written = io.BytesIO()
    with jsonlines.Writer(written, dumps=canonical_json) as writer:
        writer.write_all(rows)
    return written.getvalue()


def append_jsonl(path: Path, row: Any) -> None:
    """Append one line and fsync it; for journals, which survive a kill between any two lines.

    Raises:
        DiskFailure: the disk is full or broken; the file ends as it did before.
    """
    line = _lines([row])
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab", buffering=0) as handle:
            before = handle.seek(0, os.SEEK_END)
            try:
                while line:
                    line = line[handle.write(line) :]
                os.fsync(handle.fileno())
            except OSError:
                handle.truncate(before)
                raise


def read_bytes(path: Path, most: int = -1) -> bytes:
    """The bytes of a file, or its first ``most``; raises ArtifactError that names it when it cannot be read."""
    try:
        with open(path, "rb") as handle:
            return handle.read(most)
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be read ({error.strerror or error})") from error


def read_json(path: Path) -> Any:
    """Read one JSON document; raises ArtifactError with file and line."""
    return parse_json(read_bytes(path), str(path))


def parse_json(data: bytes, where: str) -> Any:
    """The value of a JSON document's bytes; raises ArtifactError that begins with ``where``."""
    try:
        return _loads(data)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{where}: not valid JSON ({error})") from error


def _loads(data: bytes | str) -> Any:
    text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
    value = json.loads(text)
    has_halves = ("\\u" in text and _HALF_ESCAPED.search(text)) or (not text.isascii() and _HALF.search(text))
    return with_whole_characters(value) if has_halves else value


def with_whole_characters(value: Any) -> Any:
    """A JSON value whose halves of characters (lone surrogates), which no file can hold, are U+FFFD instead."""
    return json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))


def read_jsonl(path: Path) -> list[Any]:
    """Read every line of a JSONL file; raises ArtifactError with file and line number."""
    return [value for _, value in iter_jsonl(path)]


def iter_jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (1-based line number, value) for each line that is not blank."""
    return numbered_jsonl(read_bytes(path), str(path))


def numbered_jsonl(data: bytes, where: str) -> Iterator[tuple[int, Any]]:
    """Yield (1-based line number, value) for each line of ``data`` that is not blank."""
    import jsonlines

    numbered = [(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    reader = jsonlines.Reader((line.decode("utf-8", "surrogatepass") for _, line in numbered), loads=_loads)
    for number, _ in numbered:
        try:
            value = reader.read(allow_none=True)
        except (ValueError, RecursionError) as error:
            reason = error.__cause__ or error
            raise ArtifactError(f"{where}, line {number}: not valid JSON ({reason})") from error
        yield number, value


def parse_jsonl(data: bytes) -> list[Any]:
    """The values of JSONL bytes, three times as fast as a line at a time; raises ValueError without a line number."""
    from pydantic_core import from_json

    lines = [line for line in data.split(b"\n") if line.strip()]
    values: list[Any] = from_json(b"[" + b",".join(lines) + b"]", cache_strings="keys")
    if len(values) != len(lines):
        raise ValueError("a line holds several values")
    return values


def safe_name(text: str) -> str:
    """A file name for any text: ``[A-Za-z0-9._-]`` stays, the rest becomes ``_``.

    Where that alters the text, or it has more than 100 characters or starts with a dot, a short sha of the whole text
    is appended, so that different texts get different names.
    """
    name = re.sub(r"[^A-Za-z0-9._-]", "_", text)
    if name == text and 0 < len(text) <= 100 and not text.startswith("."):
        return name
    return f"{name[:88].lstrip('.')}-{sha256_bytes(text.encode('utf-8', 'surrogatepass'))[:10]}"


def sha256_bytes(data: bytes) -> str:
    """Hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Hex sha256 of a file, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with open(path, "rb") as handle:
        for block in iter(lambda: handle.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def sha256_value(value: Any) -> str:
    """Hex sha256 of a value's canonical JSON."""
    return sha256_bytes(canonical_json(value).encode("utf-8"))


def write_npy(path: Path, array: np.ndarray) -> None:
    """Write a numpy array as ``.npy`` without pickle."""
    import numpy

    buffer = io.BytesIO()
    numpy.save(buffer, array, allow_pickle=False)
    write_bytes(path, buffer.getvalue())


def read_npy(path: Path) -> np.ndarray:
    """Read a ``.npy`` file without pickle; raises ArtifactError that names it."""
    return parse_npy(read_bytes(path), str(path))


def parse_npy(data: bytes, where: str) -> np.ndarray:
    """The array of a ``.npy`` file's bytes, without pickle; raises ArtifactError that begins with ``where``."""
    import numpy

    try:
        return numpy.load(io.BytesIO(data), allow_pickle=False)  # type: ignore[no-any-return]
    except (ValueError, EOFError, OSError) as error:
        raise ArtifactError(f"{where}: not a readable .npy file ({error})") from error


def write_parquet(path: Path, table: pyarrow.Table) -> None:
    """Write a table as Parquet; the same table gives the same bytes."""
    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table.replace_schema_metadata(None), buffer, compression="zstd")
    write_bytes(path, buffer.getvalue())
