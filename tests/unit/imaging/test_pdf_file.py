"""Encrypted PDFs open with the dataset's sheet of passwords, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts.datasets.passwords import read_passwords, write_passwords
from cosee.artifacts.files import ArtifactError
from cosee.imaging.pdf_file import PasswordError, open_pdf

METHODS = {
    "rc4_40": pymupdf.PDF_ENCRYPT_RC4_40,
    "rc4_128": pymupdf.PDF_ENCRYPT_RC4_128,
    "aes_128": pymupdf.PDF_ENCRYPT_AES_128,
    "aes_256": pymupdf.PDF_ENCRYPT_AES_256,
}


def encrypted(folder: Path, method: int, user: str, owner: str = "owner") -> Path:
    folder.mkdir(parents=True)
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Behind the lock.")
        document.save(folder / "full.pdf", encryption=method, user_pw=user, owner_pw=owner)
    return folder / "full.pdf"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_user_and_owner_passwords_of_the_sheet_open_every_cipher(tmp_path: Path, method: int) -> None:
    opened = encrypted(tmp_path / "a", method, "pässwört", "boss")
    by_owner = encrypted(tmp_path / "b", method, "x", 'the boss, "himself"')
    write_passwords(tmp_path / "passwords.tsv", {"a": "pässwört", "b": 'the boss, "himself"'})
    for pdf in (opened, by_owner):
        with open_pdf(pdf) as document:
            assert document[0].get_text().strip() == "Behind the lock."


def test_a_missing_and_a_wrong_password_are_told_apart_and_never_shown(tmp_path: Path) -> None:
    pdf = encrypted(tmp_path / "a", METHODS["aes_256"], "right")
    with pytest.raises(PasswordError, match=r"passwords\.tsv: a, a tab") as missing:
        open_pdf(pdf)
    assert missing.value.reason == "needs_password"
    write_passwords(tmp_path / "passwords.tsv", {"a": "swordfish", "b": "right"})
    with pytest.raises(PasswordError) as wrong:
        open_pdf(pdf)
    assert wrong.value.reason == "wrong_password"
    assert "swordfish" not in str(wrong.value)
    (tmp_path / "passwords.tsv").write_text("a;right\n")
    with pytest.raises(PasswordError, match="line 1"):
        open_pdf(pdf)


def test_a_file_that_only_its_owner_may_change_opens_without_a_sheet(tmp_path: Path) -> None:
    with open_pdf(encrypted(tmp_path / "a", METHODS["aes_128"], "")) as document:
        assert "lock" in document[0].get_text()


def test_the_sheet_is_for_its_owner_and_says_which_line_is_wrong(tmp_path: Path) -> None:
    sheet = tmp_path / "passwords.tsv"
    assert read_passwords(sheet) == {}
    write_passwords(sheet, {"b": "two words ", "a": "ü"})
    assert sheet.stat().st_mode & 0o777 == 0o600
    assert read_passwords(sheet) == {"a": "ü", "b": "two words "}
    sheet.write_bytes(b"\xef\xbb\xbfa\tone\r\n\r\nb\ttwo\r\n")
    assert read_passwords(sheet) == {"a": "one", "b": "two"}
    for text, where in (("a\n", "line 1"), ("a\tb\tc\n", "line 1"), ("a\tb\n\tc", "line 2")):
        sheet.write_text(text)
        with pytest.raises(ArtifactError, match=where):
            read_passwords(sheet)
    with pytest.raises(ArtifactError, match="'a'"):
        write_passwords(sheet, {"a": "tab\tinside"})
