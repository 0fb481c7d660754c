"""Speed and memory of M0 + M1 beside PyMuPDF4LLM and PyMuPDF's bare ``get_text("dict")``, turn by turn.

python -m benchmarks.adapt_speed --qa FOLDER --json OUT [--parts peers whole] [--limit N] [--pages N]
    [--repeats N] [--mixed N] [--seed N]

Each document is cut once to ``--pages`` pages spread over it, and everybody reads that copy, from opening the file on.
Ours is ``full.pdf`` to ``doctree.mm.json`` with every artifact between, in one process and thread, without OCR. The
figures are without pictures of figures, which the peers do not make either, unless their name says so. Ratios are of
CPU seconds, which other load on the machine disturbs least: the sum over documents of each one's median.

``pages_per_second.*`` are of a mixed sample drawn with ``--seed``, told apart by ``whole_speed``: text alone, crops,
OCR, the index, and the whole of M0 to M2 as a run does it. ``--parts whole`` measures these alone.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.metadata
import io
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.common import print_table, write_report
from benchmarks.doctree_read import read_document
from benchmarks.whole_speed import whole_speed
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.stage import DocFolder

LONG, SHORT = 1200, 120
"""Pages of the two documents whose memory is compared."""
OURS, WITH_PICTURES = "cosee", "cosee_with_pictures"
PEER, DICT, DICT_TEXT = "pymupdf4llm", "dict", "dict_without_pictures"
PARTS = ("peers", "whole")
Reader = Callable[[Path, Path], None]
"""Reads a PDF; the folder is empty and its own."""


@dataclass
class Seconds:
    """CPU and wall seconds of every repeat of one reader on one document."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)


def read_ours(pdf: Path, work: Path, *, pictures: bool) -> None:
    """M0 and M1 from the PDF to the tree on disk."""
    shutil.copyfile(pdf, work / "full.pdf")
    read_document(DocFolder("speed", "document", work, work), AdaptSettings(ocr="none", pictures=pictures))


def read_dict(pdf: Path, *, pictures: bool) -> None:
    """PyMuPDF's text extraction and nothing else."""
    import pymupdf

    flags = pymupdf.TEXTFLAGS_DICT if pictures else pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(pdf) as document:
        for page in document:
            page.get_text("dict", flags=flags)


def readers() -> dict[str, Reader]:
    """The readers by name; PyMuPDF4LLM only where it is installed and runs without a layout model."""
    found: dict[str, Reader] = {
        OURS: lambda pdf, work: read_ours(pdf, work, pictures=False),
        WITH_PICTURES: lambda pdf, work: read_ours(pdf, work, pictures=True),
        DICT: lambda pdf, work: read_dict(pdf, pictures=True),
        DICT_TEXT: lambda pdf, work: read_dict(pdf, pictures=False),
    }
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import pymupdf4llm
    except ImportError as error:
        print(f"without PyMuPDF4LLM ({error}): pip install -e '.[bench]'", file=sys.stderr)
        return found

    def read_peer(pdf: Path, work: Path) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            (work / "document.md").write_text(pymupdf4llm.to_markdown(str(pdf)), "utf-8", "surrogatepass")

    return {**found, PEER: read_peer}


def sampled(pdf: Path, pages: int, target: Path) -> int:
    """Write a copy of ``pdf`` with at most ``pages`` pages, spread evenly; the number of pages it has."""
    import pymupdf

    with pymupdf.open(pdf) as document:
        count = min(pages, document.page_count)
        document.select([n * document.page_count // count for n in range(count)])
        document.save(target, garbage=3, deflate=True, encryption=pymupdf.PDF_ENCRYPT_NONE)
    return count


def measure(pdf: Path, found: dict[str, Reader], repeats: int) -> tuple[dict[str, Seconds], dict[str, str]]:
    """Seconds by reader, the readers taking turns, and what a reader that failed said."""
    seconds = {name: Seconds() for name in found}
    failed: dict[str, str] = {}
    names = list(found)
    for repeat in range(repeats):
        for name in names[repeat % len(names) :] + names[: repeat % len(names)]:
            if name in failed:
                continue
            gc.collect()
            with tempfile.TemporaryDirectory() as work:
                wall, cpu = time.perf_counter(), time.process_time()
                try:
                    found[name](pdf, Path(work))
                except Exception as error:
                    failed[name] = f"{type(error).__name__}: {error}"[:200]
                    continue
                seconds[name].cpu.append(time.process_time() - cpu)
                seconds[name].wall.append(time.perf_counter() - wall)
    return {name: taken for name, taken in seconds.items() if name not in failed}, failed


def joined(pdfs: Sequence[Path], pages: int, target: Path) -> int:
    """Write the pages of ``pdfs``, one document after the other and again from the first, up to ``pages``."""
    import pymupdf

    with pymupdf.open() as whole:
        while whole.page_count < pages:
            for pdf in pdfs:
                with pymupdf.open(pdf) as document:
                    last = min(document.page_count, pages - whole.page_count) - 1
                    if last >= 0:
                        whole.insert_pdf(document, to_page=last, annots=False, widgets=False)
        whole.save(target, garbage=3, deflate=True)
        return int(whole.page_count)


def peak_memory(pdf: Path) -> float:
    """Peak resident MiB of a fresh process that reads ``pdf`` as M0 and M1 do, with pictures of figures."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_of_reading, (pdf,))


def _peak_of_reading(pdf: Path) -> float:
    with tempfile.TemporaryDirectory() as work:
        read_ours(pdf, Path(work), pictures=True)
    # Not ru_maxrss: that counts what the parent held when it started this process.
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def memory(pdfs: Sequence[Path], folder: Path) -> dict[str, float]:
    """Peak MiB on a long document made of the longest of ``pdfs``, and on one made of every tenth page of it."""
    long, short = folder / "long.pdf", folder / "short.pdf"
    joined(pdfs, LONG, long)
    sampled(long, SHORT, short)
    return {"pages_120": peak_memory(short), "pages_1200": peak_memory(long)}


def spread(pdfs: Sequence[Path], count: int) -> list[Path]:
    """``count`` of the PDFs, spread evenly over their sizes in bytes."""
    ordered = sorted(pdfs, key=lambda pdf: (pdf.stat().st_size, pdf.name))
    count = min(count, len(ordered))
    return [ordered[(2 * n + 1) * len(ordered) // (2 * count)] for n in range(count)]


def _ratio(rows: Sequence[dict[str, Any]], name: str, base: str) -> float | None:
    """CPU seconds of ``name`` over those of ``base`` on the documents that both have read."""
    both = [row["cpu_s"] for row in rows if name in row["cpu_s"] and base in row["cpu_s"]]
    return sum(cpu[name] for cpu in both) / sum(cpu[base] for cpu in both) if both else None


def _figures(rows: Sequence[dict[str, Any]], peak: dict[str, float]) -> dict[str, float]:
    ours = [row for row in rows if OURS in row["cpu_s"]]
    pages = sum(row["pages"] for row in ours)
    values = {
        "ratio_to_pymupdf4llm": _ratio(rows, PEER, OURS),
        "ratio_to_pymupdf4llm_with_pictures": _ratio(rows, PEER, WITH_PICTURES),
        "ratio_to_dict": _ratio(rows, OURS, DICT),
        "ratio_to_dict_without_pictures": _ratio(rows, OURS, DICT_TEXT),
        "pages_per_second": pages / sum(row["cpu_s"][OURS] for row in ours) if ours else None,
        "pages_per_second_wall": pages / sum(row["wall_s"][OURS] for row in ours) if ours else None,
        "rss_ratio_1200_120": peak["pages_1200"] / peak["pages_120"] if peak else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _row(name: str, pages: int, seconds: dict[str, Seconds], failed: dict[str, str]) -> dict[str, Any]:
    return {
        "document": name,
        "pages": pages,
        "cpu_s": {reader: statistics.median(taken.cpu) for reader, taken in seconds.items()},
        "wall_s": {reader: statistics.median(taken.wall) for reader, taken in seconds.items()},
        "failed": failed,
    }


def main() -> int:
    """Measure, print pages per CPU second by document and reader, and write the figures; returns 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qa", type=Path, required=True, help="folder with docs/*.pdf")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--limit", type=int, default=24, help="documents, spread over the sizes of all (24)")
    parser.add_argument("--pages", type=int, default=10, help="pages of each document, spread over it (10)")
    parser.add_argument("--repeats", type=int, default=3, help="times that every reader takes its turn (3)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is measured (both)")
    parser.add_argument("--mixed", type=int, default=40, help="documents of the mixed sample (40)")
    parser.add_argument("--seed", type=int, default=0, help="of the mixed sample (0)")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    everything = sorted((arguments.qa / "docs").glob("*.pdf"))
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {}
    if "peers" in arguments.parts:
        figures, detail = _beside_peers(everything, arguments.limit, arguments.pages, arguments.repeats)
    if "whole" in arguments.parts:
        mixed, detail["whole"] = whole_speed(everything, arguments.mixed, arguments.pages, arguments.seed)
        figures |= mixed
    print_table(["figure", "value"], [[name, value] for name, value in figures.items()])
    write_report(arguments.json, "adapt_speed", figures, detail)
    return 0


def _beside_peers(
    everything: Sequence[Path], limit: int, pages: int, repeats: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures of M0 and M1 beside the other readers, and what they were made of."""
    found = readers()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.pdf"
        for number, pdf in enumerate(spread(everything, limit)):
            taken = sampled(pdf, pages, copy)
            if number == 0:
                measure(copy, found, 1)
            rows.append(_row(pdf.stem, taken, *measure(copy, found, repeats)))
        longest = sorted(everything, key=lambda pdf: (-pdf.stat().st_size, pdf.name))[:4]
        peak = memory(longest, Path(folder)) if sys.platform == "linux" else {}
    names = list(found)
    table = [
        [row["document"][:44], *(row["pages"] / row["cpu_s"][n] if n in row["cpu_s"] else None for n in names)]
        for row in rows
    ]
    print_table(["pages per CPU second", *names], table)
    versions = {name: importlib.metadata.version(name) for name in ("pymupdf", *({PEER} & set(found)))}
    return _figures(rows, peak), {
        "sample": f"{pages} pages of each document, spread evenly; {repeats} turns, medians",
        "versions": versions,
        "documents": rows,
        "peak_mib": peak,
    }


if __name__ == "__main__":
    raise SystemExit(main())
