"""``python -m tools.release v0.2.0``: print a version's changes, where tag, package and citation agree."""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path


def notes(root: Path, tag: str) -> str:
    """The lines of ``CHANGELOG.md`` below the heading of the version.

    Raises:
        ValueError: the tag is not the version of the package and of its citation, or the changelog does not have it.
    """
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag!r}, and pyproject.toml says {version!r}: it would be 'v{version}'")
    if cited is None or cited[1] != version:
        raise ValueError(f"CITATION.cff says {cited[1] if cited else 'no version'!r}, and pyproject.toml {version!r}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    part = re.search(rf"^## \[?{re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
    if part is None or not part[1].strip() or "unreleased" in part[0].splitlines()[0].lower():
        raise ValueError(f"CHANGELOG.md has no released part '## {version}' with a day")
    return part[1].strip() + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the part; 2 where something does not agree."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("tag", help="the tag, for example v0.2.0")
    parser.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: here)")
    options = parser.parse_args(arguments)
    try:
        sys.stdout.write(notes(options.root, options.tag))
    except ValueError as error:
        sys.stderr.write(f"release: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
