"""What M0 to M2 take on a mixed set of pages, told apart: text, crops, OCR, and index with vectors.

The sample is drawn with a seed: documents of the folder in any order, of each a run of neighbouring pages that begins
anywhere. Nothing is cached. CPU seconds count this process and those that it starts (an OCR engine can be one).
"""

from __future__ import annotations

import random
import resource
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import empty_cache
from benchmarks.doctree_read import read_document
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.models.embedding.embedders import load_embedder
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage


def draw(pdfs: Sequence[Path], documents: int, pages: int, seed: int) -> Iterator[tuple[Path, int]]:
    """``documents`` of the PDFs and the first of at most ``pages`` pages of each; the same seed gives the same."""
    import pymupdf

    chance = random.Random(seed)
    for pdf in chance.sample(list(pdfs), min(documents, len(pdfs))):
        with pymupdf.open(pdf) as document:
            yield pdf, chance.randrange(max(1, document.page_count - pages + 1))


def cut(pdf: Path, first: int, pages: int, target: Path) -> int:
    """Write ``pages`` pages of ``pdf`` from ``first`` on; the number of them."""
    import pymupdf

    with pymupdf.open(pdf) as document:
        last = min(document.page_count, first + pages)
        document.select(range(first, last))
        document.save(target, garbage=3, deflate=True, encryption=pymupdf.PDF_ENCRYPT_NONE)
    return last - first


def whole_speed(pdfs: Sequence[Path], documents: int, pages: int, seed: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Figures in pages a CPU second, and what they were made of.

    ``text`` is M0 and M1 without pictures and OCR. ``crops`` and ``ocr`` are what pictures of figures, and OCR, add to
    M0: pages (of OCR: pages that it read) over the seconds more. ``index`` is M2 with vectors. ``whole`` is M0 to M2
    with the default settings.
    """
    seconds: Counter[str] = Counter()
    total, read = 0, 0
    with tempfile.TemporaryDirectory() as name, empty_cache(Path(name)):
        _warm_up()
        for number, (pdf, first) in enumerate(draw(pdfs, documents, pages, seed)):
            doc = DocFolder("speed", f"d{number}", Path(name) / f"d{number}", Path(name) / f"d{number}" / "index")
            doc.data.mkdir()
            total += cut(pdf, first, pages, doc.data / "full.pdf")
            bare, crops = AdaptSettings(ocr="none", pictures=False), AdaptSettings(ocr="none")
            seconds["text"] += cpu_seconds(lambda doc=doc, bare=bare: AdaptStage().run(doc, bare))
            seconds["crops"] += cpu_seconds(lambda doc=doc, crops=crops: AdaptStage().run(doc, crops))
            counts: dict[str, int] = {}
            seconds["ocr"] += cpu_seconds(
                lambda doc=doc, counts=counts: counts.update(AdaptStage().run(doc, AdaptSettings()).counts)
            )
            read += counts["ocr_pages"]
            seconds["tree"] += cpu_seconds(lambda doc=doc: EnhanceStage().run(doc, EnhanceSettings()))
            seconds["tree"] += cpu_seconds(lambda doc=doc: BuildStage().run(doc, BuildSettings()))
            seconds["index"] += cpu_seconds(lambda doc=doc: IndexStage().run(doc, IndexSettings()))
    # Each of the three runs of M0 holds the one before it.
    more = {"crops": seconds["crops"] - seconds["text"], "ocr": seconds["ocr"] - seconds["crops"]}
    taken = {
        "text": (total, seconds["text"] + seconds["tree"]),
        "crops": (total, more["crops"]),
        "ocr": (read, more["ocr"]),
        "index": (total, seconds["index"]),
        "whole": (total, seconds["ocr"] + seconds["tree"] + seconds["index"]),
    }
    figures = {f"pages_per_second.{part}": count / spent for part, (count, spent) in taken.items() if spent > 0}
    embedder = load_embedder("minilm")
    detail = {
        "documents": documents,
        "pages": total,
        "pages_read_by_ocr": read,
        "seed": seed,
        "cpu_s": {part: round(spent, 2) for part, (_, spent) in taken.items()},
        "precision": embedder.precision if embedder else None,
    }
    return figures, detail


def cpu_seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of ``work``, those of processes that it waits for included."""
    before = _cpu()
    work()
    return _cpu() - before


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _warm_up() -> None:
    """What is loaded once a process is no part of a page's time."""
    import pymupdf

    with tempfile.TemporaryDirectory() as name:
        doc = DocFolder("speed", "first", Path(name), Path(name) / "index")
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((72, 90), "The keeper of the mill counted sacks.", fontsize=12)
            box, scan = page.rect, page.get_pixmap(dpi=100)
            document.new_page().insert_image(box, pixmap=scan)
            document.save(doc.data / "full.pdf")
        read_document(doc, AdaptSettings())
        IndexStage().run(doc, IndexSettings())
