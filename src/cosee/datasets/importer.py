"""How an importer is added: a function that reads a benchmark's files, in a file of ``datasets/importers``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cosee.datasets.reading import Reading
from cosee.registry import IMPORTERS


@dataclass(frozen=True)
class Options:
    """What a user may say about the files of a benchmark; an importer is given what it ``accepts``."""

    split: str | None = None
    pdfs: Path | None = None
    corrections: Path | None = None


Read = Callable[[Path, Options], Reading]


def importer(
    name: str,
    *,
    layout: str,
    description: str = "",
    accepts: Sequence[Literal["split", "pdfs", "corrections"]] = (),
    version: str = "1",
    citation: str = "",
    order: int = 1000,
) -> Callable[[Read], Read]:
    """Register a function from the folder of the files and the options to what was read, as ``cosee init --from name``.

    ``layout`` names the files that it is read from.
    """
    about = {"layout": layout, "accepts": tuple(accepts)}
    return IMPORTERS.register(
        name, description=description or layout, version=version, citation=citation, order=order, about=about
    )
