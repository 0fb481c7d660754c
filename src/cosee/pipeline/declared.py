"""``python -m cosee.pipeline.declared OUTPUT ...``: put a job's outputs where a storage plugin looks for them.

With ``--default-storage-provider`` Snakemake names an output by a place below a folder of the plugin's, and sends on
what it finds there; a stage writes below the working folder, where every other file of its documents is. The end of the
plugin's path is the path of the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from cosee.artifacts import files


def declare(output: Path) -> bool:
    """Copy the file that ``output`` stands for to it; false where there is no such file."""
    written = next((path for path in _ends(output) if path.is_file()), None)
    if written is not None:
        files.write_bytes(output, written.read_bytes())
    return written is not None


def _ends(output: Path) -> Iterator[Path]:
    """Ends of the path, the longest first, below the working folder and as a path of their own."""
    parts = output.parts[1:] if output.is_absolute() else output.parts
    for start in range(1, len(parts)):
        yield Path("/", *parts[start:])
        yield Path(*parts[start:])


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 where an output is not there."""
    missing = [each for each in (sys.argv[1:] if arguments is None else arguments) if not declare(Path(each))]
    sys.stderr.write("".join(f"{each}: the job has written no file that this could stand for\n" for each in missing))
    return int(bool(missing))


if __name__ == "__main__":
    raise SystemExit(main())
