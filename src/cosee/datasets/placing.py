"""Putting PDFs into ``data/<dataset>/<doc_id>/full.pdf``: safe names, no way out of the source folder, no overwriting
through links."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError

RESERVED = ("qa", "measured")
"""Names inside a dataset folder that are no documents."""


@dataclass(frozen=True)
class ImportReport:
    """What an import did; ``problems`` are sentences for a person, nothing of them is an error."""

    dataset: str
    documents: dict[str, str]
    """Source file, as the source names it -> doc_id."""
    questions: int
    problems: list[str] = field(default_factory=list)


def dataset_name(target: Path) -> str:
    """The dataset's name. Raises ArtifactError for a target that cannot be a dataset folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", target.name):
        raise ArtifactError(f"{target}: a dataset is named with letters, digits, '.', '_' and '-'")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ArtifactError(f"{target}: is in the way and no plain folder")
    return target.name


def document_ids(names: Sequence[str]) -> dict[str, str]:
    """File name or path -> doc_id: its stem made safe, unique without regard to case.

    Where two stems give one id, each that had to be altered gets a short hash of its whole name, so that ids do not
    depend on the order or on what else is there later.
    """
    plain = {name: _safe_stem(name) for name in names}
    counts = Counter(identifier.lower() for identifier in plain.values())
    ids: dict[str, str] = {}
    for name in sorted(names):
        identifier = plain[name]
        kept = name == f"{identifier}.pdf" and identifier == identifier.lower()
        clash = counts[identifier.lower()] > 1 and not kept
        if clash or identifier.lower() in RESERVED:
            identifier = f"{identifier[:88]}-{files.sha256_bytes(name.encode('utf-8', 'surrogatepass'))[:8]}"
        ids[name] = identifier
    return ids


def _safe_stem(name: str) -> str:
    stem = re.sub(r"\.pdf$", "", name.replace("\\", "/").rsplit("/", 1)[-1], flags=re.IGNORECASE)
    text = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode("ascii")
    text = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._")
    return text[:100] or f"document-{files.sha256_bytes(name.encode('utf-8', 'surrogatepass'))[:8]}"


def inside(folder: Path, path: Path) -> bool:
    """Whether ``path``, links followed, is a file inside ``folder``."""
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True)) and path.is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def place_documents(target: Path, sources: Iterable[tuple[str, Path]]) -> None:
    """Make ``<target>/<doc_id>/full.pdf`` from each (doc_id, file): a hard link where possible, else a copy.

    Raises:
        ArtifactError: a link stands where a document's folder belongs, or a file cannot be read.
    """
    for doc_id, source in sources:
        folder = target / doc_id
        if folder.is_symlink():
            raise ArtifactError(f"{folder}: is a link; remove it before importing")
        folder.mkdir(parents=True, exist_ok=True)
        _place(source.resolve(), folder / "full.pdf")


def _place(source: Path, pdf: Path) -> None:
    there = pdf.is_file() and not pdf.is_symlink()
    if there and (pdf.samefile(source) or files.sha256_file(pdf) == files.sha256_file(source)):
        return
    temporary = pdf.with_name(".full.pdf.tmp")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(source)
        temporary.replace(pdf)
    except OSError:
        # Another file system, or one without hard links.
        files.write_bytes(pdf, files.read_bytes(source))
