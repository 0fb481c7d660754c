"""Stamps: whether a document's stage has to run, and what a person changed since it did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow, Stamp
from cosee.machine import found_of
from cosee.pipeline.stage import Part

ABSENT = "absent"


def hashes(things: Collection[Path | Part]) -> dict[str, str]:
    """Path, or name of a part of a file -> sha256, or ``absent``."""
    parts = {each.name: each.sha256 for each in things if isinstance(each, Part)}
    paths = sorted({each for each in things if isinstance(each, Path)})
    return {path.as_posix(): files.sha256_file(path) if path.is_file() else ABSENT for path in paths} | parts


def load(path: Path) -> Stamp | None:
    """The stamp; None where there is none or it cannot be read (the stage then runs)."""
    if not path.exists():
        return None
    try:
        return Stamp.load(path)
    except ArtifactError:
        return None


def still_valid(stamp: Stamp, inputs: dict[str, str], settings: str, code: str) -> LedgerRow | None:
    """The row to write again if the document need not run: same inputs, settings and code, every output there, and
    nothing on the machine that it lacked.

    An output that a person changed is kept: the row then names it in ``edited`` and carries its new sha256.
    """
    if not stamp.complete or (stamp.row.inputs, stamp.settings, stamp.code) != (inputs, settings, code):
        return None
    if found_of(stamp.row.lacked):
        return None
    outputs = hashes([Path(path) for path in stamp.row.outputs])
    if ABSENT in outputs.values():
        return None
    edited = sorted(path for path, sha256 in outputs.items() if sha256 != stamp.row.outputs[path])
    return stamp.row.model_copy(update={"outputs": outputs, "edited": edited})


def set_aside(stamp: Stamp | None, inputs: Sequence[Path | Part] = ()) -> list[str]:
    """Before a stage runs again: keep outputs that a person changed as ``<name>.edited``; returns their new paths.

    What is one of its ``inputs`` by now, as a PDF that was put in place of one that was made, stays where it is.
    """
    if stamp is None or not stamp.complete:
        return []
    kept = []
    for name, sha256 in sorted(stamp.row.outputs.items()):
        path = Path(name)
        if path not in inputs and path.is_file() and files.sha256_file(path) != sha256:
            aside = path.with_name(path.name + ".edited")
            path.replace(aside)
            kept.append(aside.as_posix())
    return kept


def begin(path: Path, stamp: Stamp | None) -> None:
    """Note that the stage is about to write again; its old outputs stay known, to be removed where they are stale."""
    if stamp is not None and stamp.complete:
        stamp.model_copy(update={"complete": False}).save(path)


def remove_stale(stamp: Stamp | None, outputs: dict[str, str]) -> None:
    """Remove files that an earlier run wrote and this one neither wrote nor read (``outputs``)."""
    if stamp is not None:
        for name in stamp.row.outputs:
            if name not in outputs:
                Path(name).unlink(missing_ok=True)
