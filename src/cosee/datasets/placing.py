"""Putting documents into ``data/<dataset>/<doc_id>/``: safe names, no way out of the source folder, no overwriting
through links."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.original import STEM, is_original, original_in
from cosee.artifacts.files import ArtifactError
from cosee.datasets.thresholds import LONGEST_HASHED_STEM, LONGEST_NAME

RESERVED = ("qa", "measured")
"""Names inside a dataset folder that are no documents."""
OUTSIDE = "is left out: a link to nowhere or out of the folder, or no plain file"
"""What is told of a document that is not ``inside`` its folder."""


def dataset_name(target: Path) -> str:
    """The dataset's name. Raises ArtifactError for a target that cannot be a dataset folder."""
    if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}", target.name):
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
            identifier = f"{identifier[:LONGEST_HASHED_STEM]}-{_short_hash(name)}"
        ids[name] = identifier
    return ids


def _safe_stem(name: str) -> str:
    stem = re.sub(r"\.pdf$", "", name.replace("\\", "/").rsplit("/", 1)[-1], flags=re.IGNORECASE)
    text = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode("ascii")
    text = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._")
    return text[:LONGEST_NAME] or f"document-{_short_hash(name)}"


def _short_hash(name: str) -> str:
    return files.sha256_bytes(name.encode("utf-8", "surrogatepass"))[:8]


def inside(folder: Path, path: Path) -> bool:
    """Whether ``path``, links followed, is a file inside ``folder``."""
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True)) and path.is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def place_document(target: Path, doc_id: str, source: Path | bytes) -> Path:
    """Make ``<target>/<doc_id>/full.pdf``, or ``original.<suffix>`` of a file of another kind, which M0 converts: of a
    file a hard link where possible, else a copy. Gives its path.

    Raises:
        ArtifactError: a link stands where the document's folder belongs, or the file cannot be read.
    """
    folder = target / doc_id
    if folder.is_symlink():
        raise ArtifactError(f"{folder}: is a link; remove it before importing")
    folder.mkdir(parents=True, exist_ok=True)
    converted = isinstance(source, Path) and is_original(source)
    pdf = folder / (f"{STEM}{source.suffix.lower()}" if isinstance(source, Path) and converted else "full.pdf")
    while (other := original_in(folder)) is not None and other != pdf:
        other.unlink()  # what the document was made of before
    if isinstance(source, Path):
        _link(source.resolve(), pdf)
    elif not _is_plain(pdf) or pdf.read_bytes() != source:
        # A new file and not the old one's bytes: the old one may be a hard link to what somebody else keeps.
        files.write_bytes(pdf, source)
    return pdf


def _is_plain(pdf: Path) -> bool:
    return pdf.is_file() and not pdf.is_symlink()


def _link(source: Path, pdf: Path) -> None:
    if _is_plain(pdf) and (pdf.samefile(source) or files.sha256_file(pdf) == files.sha256_file(source)):
        return
    temporary = pdf.with_name(f".{pdf.name}.tmp")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(source)
        temporary.replace(pdf)
    except OSError:
        # Another file system, or one without hard links.
        files.write_bytes(pdf, files.read_bytes(source))
