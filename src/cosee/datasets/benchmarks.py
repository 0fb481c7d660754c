"""The benchmarks that can be imported from the files that their authors publish."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.files import ArtifactError
from cosee.datasets import longdocurl, mmlongbench, mpdocvqa, slidevqa
from cosee.datasets.reading import CountPages, Reading, Watch, write_dataset


@dataclass(frozen=True)
class Options:
    """What a user may say about the files of a benchmark; a reader takes what concerns it."""

    split: str | None = None
    pdfs: Path | None = None
    corrections: Path | None = None


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: ``read`` takes the folder of its files and the options that it ``accepts``."""

    layout: str
    """The files that it is read from."""
    read: Callable[[Path, Options], Reading]
    splits: tuple[str, ...] = ()
    """Its splits, the default first; none where it has only one."""
    accepts: tuple[str, ...] = ()


BENCHMARKS = {
    "mmlongbench-doc": Benchmark(
        "data/samples.json and data/documents/*.pdf",
        lambda folder, options: mmlongbench.read_v1(folder, pdfs=options.pdfs),
        accepts=("pdfs",),
    ),
    "mmlongbench-doc-v2": Benchmark(
        "data/samples.json and data/corrections/, with the PDFs of the first version",
        lambda folder, options: mmlongbench.read_v2(folder, pdfs=options.pdfs, corrections=options.corrections),
        accepts=("pdfs", "corrections"),
    ),
    "longdocurl": Benchmark(
        "LongDocURL_public*.jsonl and the PDFs of pdf_files.tar.gz",
        lambda folder, options: longdocurl.read_longdocurl(folder, pdfs=options.pdfs),
        accepts=("pdfs",),
    ),
    "mp-docvqa": Benchmark(
        "<split>.json, images/<page_id>.jpg and ocr/<page_id>.json",
        lambda folder, options: mpdocvqa.read_mpdocvqa(folder, options.split or mpdocvqa.SPLITS[0]),
        splits=mpdocvqa.SPLITS,
        accepts=("split",),
    ),
    "slidevqa": Benchmark(
        "annotations/qa/<split>.jsonl and images/<split>/, or data/<split>-*.parquet",
        lambda folder, options: slidevqa.read_slidevqa(folder, options.split or slidevqa.SPLITS[0]),
        splits=slidevqa.SPLITS,
        accepts=("split",),
    ),
}
"""Name, as a user writes it -> how it is read."""


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of this name. Raises ArtifactError that lists the names."""
    if name not in BENCHMARKS:
        raise ArtifactError(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def import_benchmark(
    name: str,
    folder: Path,
    target: Path,
    options: Options = Options(),
    *,
    limit: int | None = None,
    count_pages: CountPages | None = None,
    watch: Watch = iter,
) -> ImportReport:
    """Import the benchmark ``name`` from its files in ``folder`` into ``target`` (``data/<name>``).

    ``limit`` keeps the first so many documents; see ``write_dataset`` for the rest.

    Raises:
        ArtifactError: no such benchmark, an option that it does not take, or files that cannot be used.
    """
    benchmark = find_benchmark(name)
    for option in ("split", "pdfs", "corrections"):
        if getattr(options, option) is not None and option not in benchmark.accepts:
            raise ArtifactError(f"{name} takes no --{option}")
    if target.resolve() == folder.resolve():
        raise ArtifactError(f"{target}: holds the published files; give the dataset another name")
    reading = benchmark.read(folder, options)
    return write_dataset(reading, target, limit=limit, count_pages=count_pages, watch=watch)
