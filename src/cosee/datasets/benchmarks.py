"""A benchmark from the files that its authors publish, by the importer of its name."""

from __future__ import annotations

from pathlib import Path

from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.files import ArtifactError
from cosee.datasets.importer import Options
from cosee.datasets.reading import CountPages, Watch, write_dataset
from cosee.registry import IMPORTERS, Entry

NO_OPTIONS = Options()


def find_benchmark(name: str) -> Entry:
    """The importer of this name. Raises ArtifactError that lists the names."""
    if name not in IMPORTERS.names():
        raise ArtifactError(f"no benchmark {name!r}; there are {', '.join(each.name for each in IMPORTERS.entries())}")
    return IMPORTERS.get(name)


def import_benchmark(
    name: str,
    folder: Path,
    target: Path,
    options: Options = NO_OPTIONS,
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
    found = find_benchmark(name)
    for option in ("split", "pdfs", "corrections"):
        if getattr(options, option) is not None and option not in found.about["accepts"]:
            raise ArtifactError(f"{name} takes no --{option}")
    if target.resolve() == folder.resolve():
        raise ArtifactError(f"{target}: holds the published files; give the dataset another name")
    reading = found.thing(folder, options)
    return write_dataset(reading, target, limit=limit, count_pages=count_pages, watch=watch)
