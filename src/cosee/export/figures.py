"""The crops of a node's pictures, read from the document's own folder and from nowhere else."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import Node

# General knowledge: the bytes that files of these formats begin with.
_SIGNATURES = {b"\x89PNG\r\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


@dataclass(frozen=True)
class Picture:
    """One crop."""

    name: str
    """A file name that nothing of the document's decides but its letters and digits."""
    data: bytes
    form: str
    """``png``, ``jpeg``, ``gif`` or ``webp``, by its first bytes."""

    @property
    def uri(self) -> str:
        """The picture itself as the address of an ``img``."""
        return f"data:image/{self.form};base64,{base64.b64encode(self.data).decode()}"


def pictures(node: Node, folder: Path) -> list[Picture]:
    """The pictures of a figure, of a formula, of a table whose cells were not read, and those in a table's cells.

    ``folder`` is the document's. What is not there, lies elsewhere or is no picture is left out.
    """
    if not node.readable:
        return []
    has_cells = node.table is not None and bool(node.table.rows)
    named = [] if has_cells or node.image_path is None else [node.image_path]
    named += node.table.pictures if node.table is not None else []
    return [picture for picture in (_picture(folder, path) for path in dict.fromkeys(named)) if picture is not None]


def alternative(node: Node) -> str:
    """What stands for the picture where it cannot be seen."""
    if node.type == "equation":
        return f"Formula {node.label}" if node.label else f"Formula on page {node.page_idx + 1}"
    said = node.description or node.title or node.label
    return " ".join(said.split()) if said else f"Figure on page {node.page_idx + 1}"


def _picture(folder: Path, path: str) -> Picture | None:
    place = (folder / path).resolve()
    if not place.is_relative_to(folder.resolve()) or not place.is_file():
        return None
    data = files.read_bytes(place)
    form = next((form for signature, form in _SIGNATURES.items() if data.startswith(signature)), None)
    return Picture(files.safe_name(place.stem) + f".{form}", data, form) if form else None
