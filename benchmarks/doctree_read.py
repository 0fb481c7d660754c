"""Reads documents with M0 and M1 for the parts of the DocTree benchmark, each file once, kept between runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.code_closure import code_sha256
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.stage import DocFolder, StageResult
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage

LIMITS = Limits(seconds=1800.0, memory_mb=6000)
STRIPPED = "stripped-1"
"""Raised when ``strip_structure`` changes what it takes out."""


@dataclass
class Measured:
    """What one part gives: figures by name, what stands behind them, and tables for a person."""

    figures: dict[str, float] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)
    tables: list[tuple[str, Sequence[str], Sequence[Sequence[str | float | int | None]]]] = field(default_factory=list)
    """Heading, column names, rows."""
    missing: dict[str, str] = field(default_factory=dict)
    """Figure or group of figures that could not be measured -> why."""


@dataclass(frozen=True)
class Read:
    """One document's tree; ``failure`` says why there is none."""

    tree: DocTree | None
    failure: str | None = None


@dataclass(frozen=True)
class Sources:
    """The folders of one call, and the documents read so far below ``work``."""

    cases: Path
    parse: Path
    qa: Path
    work: Path
    only: Sequence[str] = ()
    """Parts of file names: other documents are left out, so that one kind can be worked on."""
    adapt: AdaptSettings = field(default_factory=AdaptSettings)
    """How documents are read."""

    def chosen(self, paths: Iterable[Path]) -> list[Path]:
        """Sorted truth files or PDFs of the documents that are measured."""
        return sorted(path for path in paths if not self.only or any(part in path.name for part in self.only))

    @cached_property
    def _code(self) -> str:
        return files.sha256_value([code_sha256(f"cosee.stages.{name}") for name in ("adapt", "enhance", "build")])

    def read(self, pdf: Path, *, without_structure: bool = False) -> Read:
        """The tree of a PDF by M0 and M1; ``without_structure`` takes bookmarks and tags out of the file first.

        A document is read again only where its bytes, the stages' code or their settings changed.
        """
        sha256 = files.sha256_file(pdf)
        folder = self.work / "doctree" / (sha256[:16] + ("-" + STRIPPED if without_structure else ""))
        settings = (self.adapt, EnhanceSettings(), BuildSettings())
        key = files.sha256_value([sha256, self._code, [each.model_dump(mode="json") for each in settings]])
        doc = DocFolder("doctree", pdf.stem, folder, folder)
        place = strip_structure if without_structure else shutil.copyfile
        failure = read_once(pdf, doc, key, place, lambda: read_document(doc, self.adapt)[-1])
        return Read(None if failure else DocTree.load(folder / "doctree.mm.json"), failure)

    def document(self, base: Path, name: str) -> Path | None:
        """The PDF that a truth file in a folder below ``base`` names; one of ``../../qa/docs`` is looked for in ``qa``.

        None where there is no such file.
        """
        own = self.qa / "docs" / Path(name).name if name.startswith("../../qa/docs/") else base / name
        return own if own.is_file() else None

    def peer(self, name: str, pdf: Path, compute: Callable[[], Any]) -> tuple[Any, str | None]:
        """A peer's output for one file as JSON, and why there is none.

        It is computed in a child process with the same limits as ours, once for a ``name`` (which holds the peer's
        version and the way it is called) and a file's bytes.
        """
        path = self.work / "peers" / files.safe_name(name) / f"{files.sha256_file(pdf)[:16]}.json"
        if not path.exists():

            def task() -> StageResult:
                files.write_json(path, {"output": compute(), "failure": None})
                return StageResult(outputs=[path])

            failure = next(iter(run_isolated([(name, task)], LIMITS, 1))).failure
            if failure:
                files.write_json(path, {"output": None, "failure": f"{failure.reason}: {failure.message}"})
        kept = files.read_json(path)
        return kept["output"], kept["failure"]


def version(package: str, module: str) -> str | None:
    """The installed version of a peer, None where it is not installed (``pip install cosee[bench]``)."""
    try:
        return metadata.version(package) if find_spec(module) else None
    except metadata.PackageNotFoundError:
        return None


def read_document(doc: DocFolder, adapt: AdaptSettings) -> list[StageResult]:
    """M0 and M1 over a document whose ``full.pdf`` is there."""
    return [
        AdaptStage().run(doc, adapt),
        EnhanceStage().run(doc, EnhanceSettings()),
        BuildStage().run(doc, BuildSettings()),
    ]


def read_once(
    pdf: Path, doc: DocFolder, key: str, place: Callable[[Path, Path], Any], read: Callable[[], StageResult]
) -> str | None:
    """Read a copy of a PDF, that ``place`` makes, in a child process, again only where ``key`` is another than it was.

    Returns why it could not be read; None: it was.
    """
    path = doc.data / "state.json"
    state: Mapping[str, Any] = files.read_json(path) if path.exists() else {}
    if state.get("key") != key:
        doc.data.mkdir(parents=True, exist_ok=True)
        place(pdf, doc.data / "full.pdf")
        failed = next(iter(run_isolated([(pdf.stem, read)], LIMITS, 1))).failure
        state = {"key": key, "failure": f"{failed.reason}: {failed.message}" if failed else None}
        files.write_json(path, dict(state))
    failure: str | None = state["failure"]
    return failure


def strip_structure(source: Path, target: Path) -> None:
    """Write a copy of a PDF without its bookmarks and its structure tree, unused objects thrown away."""
    import pymupdf

    with pymupdf.open(source) as document:
        document.set_toc([])
        catalog = document.pdf_catalog()
        for name in ("Outlines", "StructTreeRoot", "MarkInfo"):
            document.xref_set_key(catalog, name, "null")
        document.save(target, garbage=3, no_new_id=True)
