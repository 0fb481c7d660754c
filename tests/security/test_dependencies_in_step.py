"""``docs/security.md`` lists every dependency with its version, its licence and its reason."""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import PackageMetadata
from pathlib import Path
from typing import cast

import pytest
from tools import dependencies

PROJECT = Path(__file__).resolve().parents[2]
PERMISSIVE = re.compile(
    r"\b(?:MIT|MIT-CMU|BSD|BSD-[0-3]-Clause|0BSD|Apache-2\.0|ISC|PSF|PSF-2\.0|Python-2\.0|Zlib|CC0-1\.0|Unlicense|HPND|"
    r"MPL-2\.0|MPL 1\.1|BSL-1\.0|PSF-based|CNRI-Python)\b"
)
"""The Mozilla licence asks for changes to its own files alone."""
COPYLEFT = {"pymupdf", "pymupdf4llm"}


def page() -> str:
    return (PROJECT / dependencies.PAGE).read_text(encoding="utf-8")


def rows() -> dict[str, list[str]]:
    tables = page().partition(dependencies.START)[2].partition(dependencies.END)[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables.splitlines() if "|" in line]
    return {row[0].lower(): row for row in cells if row[1][:1].isdigit() or row[1] == "not pinned"}


def test_the_tables_are_those_of_the_project() -> None:
    assert dependencies.page_with_tables(PROJECT, page()) == page(), "run 'make audit' and commit the result"


def test_every_direct_and_every_pinned_package_is_listed() -> None:
    listed = {re.sub(r"[-_.]+", "-", name) for name in rows()}
    assert listed == {*dependencies.direct(PROJECT), *dependencies.pinned(PROJECT)}


def test_every_direct_dependency_has_a_reason_and_no_reason_is_left_over() -> None:
    assert set(dependencies.WHY) == set(dependencies.direct(PROJECT))


def test_licences_are_permissive_but_for_the_reader_of_pdfs() -> None:
    licences = {name: row[3] if len(row) == 5 else row[2] for name, row in rows().items()}
    odd = {name: licence for name, licence in licences.items() if not PERMISSIVE.search(licence)}
    assert set(odd) == COPYLEFT, odd


def test_a_changed_pin_changes_the_page(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text((PROJECT / name).read_text(encoding="utf-8").replace("Jinja2==", "Jinja2==9"))
    made = dependencies.page_with_tables(tmp_path, page())
    assert re.search(r"\| Jinja2 \| 9[\d.]+ \| core \| BSD \|", made), (
        "the licence is kept where it cannot be looked up"
    )


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License-Expression": "MIT OR Apache-2.0", "License": "x"}, "MIT OR Apache-2.0"),
        ({"License": "Apache 2.0"}, "Apache-2.0"),
        (
            {"License": "Copyright (c) somebody\nAll rights\n", "Classifier": "License :: OSI Approved :: MIT License"},
            "MIT",
        ),
        ({"Classifier": "License :: OSI Approved"}, None),
    ],
)
def test_a_licence_is_read_from_what_metadata_have(fields: dict[str, str], licence: str | None) -> None:
    message = Message()
    for name, value in fields.items():
        message[name] = value
    assert dependencies.licence_of(cast(PackageMetadata, message)) == licence
