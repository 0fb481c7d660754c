"""What is on this machine, and what a stage may lack on it, by name.

A stage that lacked something says so by these names; they stand in the document's stamp, so that the document is done
again where the thing is found, and nothing is where a thing is taken away. To look must import no library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

NO_LANGUAGES = frozenset(("osd", "equ"))
"""Data of tesseract's that reads no text."""


@lru_cache(maxsize=1)
def installed_languages() -> frozenset[str]:
    """Languages that the installed tesseract can read; empty when it is not installed."""
    output = _ask("--list-langs")
    return frozenset(line.strip() for line in output.splitlines()[1:] if line.strip())


@lru_cache(maxsize=1)
def version() -> str:
    """Version of the installed tesseract."""
    first = _ask("--version").splitlines()
    return first[0].removeprefix("tesseract ").strip() if first else "unknown"


def _ask(option: str) -> str:
    if shutil.which("tesseract") is None:
        return ""
    try:
        child = subprocess.run(["tesseract", option], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (child.stdout or child.stderr).decode("utf-8", "replace")


def cache_root() -> Path:
    """``$COSEE_CACHE``, else ``.cache`` in the working folder: weights, vectors, page images; never artifacts."""
    return Path(os.environ.get("COSEE_CACHE") or ".cache")


def fetched_root() -> Path:
    """Where fetched weights go: ``models`` in ``$COSEE_CACHE``, else in the user's cache, for all of their projects."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("COSEE_CACHE") or caches / "cosee") / "models"


def weight_roots() -> tuple[Path, Path]:
    """Where fetched weights are looked for: in this project's cache, then where ``fetched_root`` says."""
    return cache_root() / "models", fetched_root()


def is_there(name: str) -> bool:
    """Whether ``name`` is on this machine: ``tesseract`` (with any language), ``tesseract:deu``, ``rapidocr``,
    ``python:onnxruntime``, ``weights:x/y`` (a file of fetched weights), ``folder:models/x`` (of a model),
    ``office``, ``web``.
    """
    kind, _, rest = name.partition(":")
    return kind in _LOOKS and _LOOKS[kind](rest)


def found_of(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that are there, in order and once."""
    return [name for name in sorted(set(names)) if is_there(name)]


def _tesseract(language: str) -> bool:
    there = {name.rsplit("/", 1)[-1] for name in installed_languages()}
    return language in there if language else bool(there - NO_LANGUAGES)


def _weights(path: str) -> bool:
    return any((root / path).is_file() for root in weight_roots())


def _rapidocr(_: str) -> bool:
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def _python(module: str) -> bool:
    return find_spec(module) is not None


def _folder(path: str) -> bool:
    folder = Path(path).expanduser()
    return (folder / "config.json").is_file() or any(folder.glob("*.gguf"))


def _office(_: str) -> bool:
    return (shutil.which("soffice") or shutil.which("libreoffice")) is not None


def _web(_: str) -> bool:
    from ctypes.util import find_library

    return find_spec("weasyprint") is not None and find_library("pangoft2-1.0") is not None


# General knowledge: names of what stages use, ours.
_LOOKS: Mapping[str, Callable[[str], bool]] = {
    "tesseract": _tesseract,
    "rapidocr": _rapidocr,
    "weights": _weights,
    "python": _python,
    "folder": _folder,
    "office": _office,
    "web": _web,
}
