"""Office files through LibreOffice: a profile of its own for each start, macros off, links never followed."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

from cosee.parse.originals.child import TooLong, run_limited
from cosee.parse.originals.kinds import Unconvertible
from cosee.parse.originals.thresholds import MAX_CAUSE
from cosee.text.cleaning import one_line

PACKAGES = "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"
INSTALL = f"apt-get install --no-install-recommends {PACKAGES} fonts-liberation fonts-crosextra-carlito"
_SETTINGS = (
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Writer/Content/Update", "Link", "0"),
    ("Writer/Content/Update", "Field", "false"),
    ("Calc/Content/Update", "Link", "2"),
    ("Common/Filter/PDF/Export", "ExportBookmarks", "true"),
    ("Common/Filter/PDF/Export", "UseLosslessCompression", "true"),
    ("Common/Filter/PDF/Export", "ReduceImageResolution", "false"),
)
"""Group, name and value: no macro runs, no link or date is brought up to date, pictures stay as they are."""


def soffice() -> str | None:
    """LibreOffice's program; None where it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


@functools.cache
def version() -> str:
    """``LibreOffice 7.4.7.2``; empty where it is not installed."""
    program = soffice()
    if program is None:
        return ""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    found = re.search(r"LibreOffice [\d.]+", said)
    return found[0] if found else "LibreOffice"


def convert_office(source: Path, wanted: str, folder: Path, name: str) -> Path:
    """``source`` as another kind: ``wanted`` is ``pdf``, ``docx`` ... with a filter of LibreOffice's behind a colon.

    Everything happens below ``folder``, which the caller removes; ``name`` is what the user knows the file by.

    Raises:
        Unconvertible: ``no_converter``, ``timeout``, or ``damaged`` where LibreOffice does not make the file.
    """
    program = soffice()
    if program is None:
        message = f"{name} needs LibreOffice, which is not installed: {INSTALL}"
        raise Unconvertible("no_converter", message, ("office",))
    profile = folder / "profile"
    if not profile.is_dir():
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(_profile(), encoding="utf-8")
    command = [
        program,
        f"-env:UserInstallation={profile.resolve().as_uri()}",
        "--headless",
        "--norestore",
        "--nolockcheck",
        "--nodefault",
        "--convert-to",
        wanted,
        "--outdir",
        str(folder.resolve()),
        str(source.resolve()),
    ]
    environment = {"HOME": str(folder.resolve()), "TMPDIR": str(folder.resolve()), "SAL_USE_VCLPLUGIN": "svp"}
    try:
        said = run_limited(command, folder, environment)
    except TooLong as error:
        raise Unconvertible("timeout", f"{name}: LibreOffice was {error}") from error
    made = folder / f"{source.stem}.{wanted.partition(':')[0]}"
    if not made.is_file() or not made.stat().st_size:
        why = one_line(said.splitlines()[-1].replace(str(folder.resolve()), "")) if said else "it said nothing"
        why = why[:MAX_CAUSE]
        raise Unconvertible(
            "damaged",
            f"{name} cannot be converted by LibreOffice ({why}): it is damaged or protected by a password, or "
            f"one of the packages is absent: {PACKAGES}",
        )
    return made


def _profile() -> str:
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.{group}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>"
        for group, name, value in _SETTINGS
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>\n'
    )
