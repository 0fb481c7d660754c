"""Pages of olmOCR-bench: the tree's text beside pymupdf4llm's, each test passed or not.

``olmocr_pass`` is the share of tests passed, formula tests (``olmocr_pass_math``) and those of ``synth_table`` apart.
pymupdf4llm is called as it comes, without headers and footers where it can leave them out, and without its layout
model; its figure is that of the best of these ways over all tests.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path

from benchmarks.common import progress
from benchmarks.doctree_markdown import page_markdown
from benchmarks.doctree_read import Measured, Sources, version
from benchmarks.olmocr_tests import KINDS, Test, passes
from cosee.artifacts import files

OURS = "cosee"
PEER = "pymupdf4llm"
APART = "math"
SYNTHETIC = "synth_table"
WAYS = ("default", "without_furniture", "without_layout")


def read_tests(folder: Path) -> list[tuple[str, Path, Test]]:
    """(group, PDF, test) for every line of every ``*.jsonl`` below a folder; rejected tests are left out."""
    found = []
    for source in sorted(folder.rglob("*.jsonl")):
        group = SYNTHETIC if SYNTHETIC in source.relative_to(folder).parts else "tests"
        for _, test in files.iter_jsonl(source):
            places = (base / test["pdf"] for base in (source.parent / "pdfs", source.parent, folder / "pdfs", folder))
            pdf = next((place for place in places if place.is_file()), None)
            if pdf is not None and test.get("checked") != "rejected" and test["type"] in KINDS:
                found.append((group, pdf, test))
    return found


def pymupdf4llm_page(pdf: Path, page: int, way: str) -> str | None:
    """A page (from 1) as pymupdf4llm writes it; None where this version cannot be called that way."""
    import pymupdf4llm as peer

    if way != "default":
        if not getattr(peer, "_use_layout", False):
            return None
        if way == "without_layout":
            peer.use_layout(False)
    options = {"header": False, "footer": False} if way == "without_furniture" else {}
    return str(peer.to_markdown(str(pdf), pages=[page - 1], **options))


def measure(sources: Sources) -> Measured:
    """Run all tests on the tree's and on the peer's text of their pages."""
    folder = sources.parse / "olmocr_bench"
    tests = [each for each in read_tests(folder) if sources.chosen([each[1]])]
    if not tests:
        return Measured(missing={"olmocr_pass*": "no test with its PDF in olmocr_bench/"})
    measured = Measured()
    release = version(PEER, PEER)
    if not release:
        measured.missing["olmocr_pass_pymupdf4llm"] = "pymupdf4llm is not installed"
    pages = sorted({(pdf, int(test["page"])) for _, pdf, test in tests})
    texts: dict[str, dict[tuple[Path, int], str]] = defaultdict(dict)
    failures: dict[str, str] = {}
    for number, (pdf, page) in enumerate(pages, start=1):
        progress("olmocr", number, len(pages), pdf.stem)
        result = sources.read(pdf)
        texts[OURS][pdf, page] = page_markdown(result.tree, page - 1) if result.tree else ""
        failures |= {pdf.name: result.failure} if result.failure else {}
        for way in WAYS if release else ():
            name = f"markdown-{PEER}-{release}-{way}-{page}"
            text, failure = sources.peer(name, pdf, partial(pymupdf4llm_page, pdf, page, way))
            if text is not None or failure:
                texts[f"{PEER}.{way}"][pdf, page] = text or ""
            failures |= {f"{name} {pdf.name}": failure} if failure else {}
    progress("", 0, 0, "")
    results = {
        way: [(group, test, passes(test, found[pdf, int(test["page"])])) for group, pdf, test in tests]
        for way, found in texts.items()
        if len(found) == len(pages)
    }
    _add(measured, results)
    measured.detail |= {
        "failed_tests": [
            {"by": [way for way in results if not results[way][n][2]], **test}
            for n, (_, _, test) in enumerate(tests)
            if not results[OURS][n][2]
        ],
        "failures": failures,
        "texts": {f"{pdf.stem} {page}": text for (pdf, page), text in texts[OURS].items()},
    }
    return measured


def _add(measured: Measured, results: dict[str, list[tuple[str, Test, bool]]]) -> None:
    """Shares of tests passed, ours and those of the peer's best way."""
    shares: dict[str, dict[str, tuple[int, int]]] = {}
    for way, rows in results.items():
        by_kind: dict[str, list[bool]] = defaultdict(list)
        for group, test, passed in rows:
            if group == SYNTHETIC:
                by_kind[SYNTHETIC].append(passed)
            else:
                by_kind[test["type"]].append(passed)
                by_kind["pass"] += [] if test["type"] == APART else [passed]
        shares[way] = {kind: (sum(found), len(found)) for kind, found in by_kind.items()}
    kinds = [kind for kind in ("pass", *KINDS, SYNTHETIC) if kind in shares[OURS]]
    peers = [way for way in shares if way != OURS]
    chosen = {"": OURS}
    if peers:
        chosen[f"_{PEER}"] = max(peers, key=lambda way: shares[way].get("pass", (0, 0))[0])
    for suffix, way in chosen.items():
        for kind in kinds:
            name = "olmocr_pass" if kind == "pass" else f"olmocr_pass_{kind}"
            measured.figures[name + suffix] = shares[way][kind][0] / shares[way][kind][1]
    table = [[way, *(f"{own[kind][0]}/{own[kind][1]}" for kind in kinds)] for way, own in shares.items()]
    measured.tables.append(("olmOCR-bench: tests passed", ("olmocr", *kinds), table))
