"""What a file is by its bytes, whatever its name says, and what is refused before any converter sees it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from cosee.artifacts import files
from cosee.parse.originals.thresholds import HEAD, MAX_BYTES, MAX_LIST, MAX_PARTS, MAX_RATIO, PDF_HEAD, SMALL

LEGACY = {"WordDocument": "doc", "Workbook": "xls", "Book": "xls", "PowerPoint Document": "ppt"}
_OOXML = (
    ("wordprocessingml", "docx"),
    ("ms-word.", "docx"),
    ("spreadsheetml", "xlsx"),
    ("ms-excel.", "xlsx"),
    ("presentationml", "pptx"),
    ("ms-powerpoint.", "pptx"),
)
# General knowledge: media types of OpenDocument files.
_ODF = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_HTML = re.compile(rb"(?:\s|\xef\xbb\xbf|<\?xml[^>]*>|<!--.*?-->)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_MAIN_PART = re.compile(r'ContentType="([^"]*\.main\+xml)"')
_MACRO_PARTS = re.compile(r"(?:^|/)vbaproject\.bin$|^xl/macrosheets/|^(?:basic|scripts)/.*(?<!-lb\.xml)(?<!-lc\.xml)$")


class Unconvertible(Exception):
    """A file that does not become a PDF. ``reason`` is one of ``cosee.artifacts.reasons``; ``lacked`` is what would
    make one of it, by the names of ``cosee.machine``."""

    def __init__(self, reason: str, message: str, lacked: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.lacked = lacked


def kind_of(path: Path) -> str:
    """``pdf``, ``docx``, ``pptx``, ``xlsx``, ``odt``, ``odp``, ``ods``, ``doc``, ``ppt``, ``xls``, ``rtf``, ``html`` or
    ``picture``. A template or a show is what it is a template or show of.

    Raises:
        Unconvertible: the file is none of them, broken, encrypted, too large once unfolded, or has macros.
    """
    head = files.read_bytes(path, HEAD)
    if not head:
        raise Unconvertible("empty_file", f"{path.name} is empty (0 bytes)")
    if path.stat().st_size > MAX_BYTES:
        raise Unconvertible("too_large", f"{path.name} has more than {MAX_BYTES:,} bytes")
    if b"%PDF-" in head[:PDF_HEAD]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _packed(path)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _compound(path)
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(_PICTURES):
        return "picture"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode("utf-8", "ignore")
    named_html = path.suffix.lower() in (".html", ".htm", ".xhtml") and b"\0" not in head
    if named_html or _HTML.match(head):
        return "html"
    raise Unconvertible(
        "unknown_kind",
        f"{path.name} is no office file, web page, PNG, JPEG or TIFF, whatever it is called: it begins with "
        f"{head[:12]!r}",
    )


def _packed(path: Path) -> str:
    """The kind of a ZIP file: Office Open XML by its list of parts, OpenDocument by its first entry."""
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_bombs(path, archive)
            names = [entry.filename for entry in archive.infolist()]
            if any(entry.flag_bits & 1 for entry in archive.infolist()):
                raise _encrypted(path)
            types, mimetype = _text(archive, "[Content_Types].xml"), _text(archive, "mimetype")
            if "encryption-data" in _text(archive, "META-INF/manifest.xml"):
                raise _encrypted(path)
            broken = archive.testzip()
    except Unconvertible:
        raise
    except Exception as error:  # whatever the packing of a foreign file makes zipfile raise
        raise Unconvertible("damaged", f"{path.name} is damaged: {error}") from error
    if broken is not None:
        raise Unconvertible("damaged", f"{path.name} is damaged: its part {broken!r} cannot be read")
    macros = [name for name in names if _MACRO_PARTS.search(name.lower())]
    if macros or "macroEnabled" in types:
        where = f"in {macros[0]!r}" if macros else "by its list of parts"
        raise Unconvertible("macros", f"{path.name} holds macros ({where}) and is not opened")
    mains = _MAIN_PART.findall(types)
    kinds = [kind for main in mains for word, kind in _OOXML if word in main]
    if mimetype.startswith("application/vnd.oasis.opendocument."):
        kinds += [kind for word, kind in _ODF.items() if mimetype.split(".")[-1].split("-")[0].strip() == word]
    if not kinds:
        raise Unconvertible("unknown_kind", f"{path.name} is a ZIP file and no document of a known kind")
    return kinds[0]


def _refuse_bombs(path: Path, archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    packed = max(1, path.stat().st_size)
    if len(entries) > MAX_PARTS or size > MAX_BYTES or (size > SMALL and size > MAX_RATIO * packed):
        raise Unconvertible(
            "too_large", f"{path.name} unfolds to {len(entries):,} parts of {size:,} bytes; it is not opened"
        )


def _text(archive: zipfile.ZipFile, name: str) -> str:
    """The part's beginning; empty where there is no such part."""
    try:
        with archive.open(name) as part:
            return part.read(MAX_LIST).decode("utf-8", "replace")
    except KeyError:
        return ""


def _compound(path: Path) -> str:
    """The kind of an OLE file: one of the older Microsoft formats, or the shell around an encrypted newer one."""
    import olefile

    try:
        with olefile.OleFileIO(path) as compound:
            names = ["/".join(parts) for parts in compound.listdir(streams=True, storages=True)]
    except Exception as error:  # whatever olefile raises on foreign bytes
        raise Unconvertible("damaged", f"{path.name} is damaged: {error}") from error
    last_parts = {name.rpartition("/")[2] for name in names}
    if last_parts & {"EncryptedPackage", "EncryptionInfo"}:
        raise _encrypted(path)
    if last_parts & {"_VBA_PROJECT", "VBA", "Macros", "_VBA_PROJECT_CUR"}:
        raise Unconvertible("macros", f"{path.name} holds macros (VBA) and is not opened")
    kind = next((kind for name, kind in LEGACY.items() if name in names), None)
    if kind is None:
        raise Unconvertible("unknown_kind", f"{path.name} is a compound file and no Word, Excel or PowerPoint document")
    return kind


def _encrypted(path: Path) -> Unconvertible:
    return Unconvertible(
        "unsupported_encryption", f"{path.name} is protected by a password, which only its own program can take off"
    )
