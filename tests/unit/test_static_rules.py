"""Rules that hold for every source file: nothing runs text as code, and heavy libraries are imported late."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.source_imports import forbidden, imports

SOURCE = Path(__file__).resolve().parents[2] / "src"
FILES = sorted((SOURCE / "cosee").rglob("*.py"))
MODEL_LIBRARIES = {
    "torch",
    "torchvision",
    "piq",
    "pyiqa",
    "transformers",
    "accelerate",
    "sentence_transformers",
    "bitsandbytes",
    "qwen_vl_utils",
}
HEAVY = MODEL_LIBRARIES | {
    "faiss", "numpy", "pandas", "scipy", "sklearn", "skimage", "pyarrow", "PIL", "pymupdf", "fitz", "snakemake",
    "jinja2", "openai", "langgraph",
}  # fmt: skip
LIGHT_FOLDERS = {"artifacts", "pipeline", "commands", "cli.py", "__init__.py"}


def light(path: Path) -> bool:
    return path.relative_to(SOURCE / "cosee").parts[0] in LIGHT_FOLDERS


def complaints(path: Path, source: str | None = None) -> list[str]:
    """Model libraries outside models/ or at its top level; heavy ones at the top level of light folders."""
    lines = []
    in_models = path.relative_to(SOURCE / "cosee").parts[0] == "models"
    for found in imports(path, source):
        library = found.module.split(".")[0]
        late = found.nested or found.typing_only
        if library in MODEL_LIBRARIES and not (in_models and late):
            lines.append(f"{path}:{found.line} imports {library}: only inside functions of models/")
        elif library in HEAVY and light(path) and not late:
            lines.append(f"{path}:{found.line} imports {library} at the top: import it inside the function")
    return lines


LAZY_NAMES = ("src/cosee/__init__.py", "call of importlib.import_module")
"""The one import by name: the public names of the package, from a fixed table in the same file."""


def test_nothing_runs_text_as_code() -> None:
    found = [(path, line, what) for path in FILES for line, what in forbidden(path)]
    lazy = [each for each in found if (each[0].relative_to(SOURCE.parent).as_posix(), each[2]) == LAZY_NAMES]
    assert [f"{path}:{line} {what}" for path, line, what in found if (path, line, what) not in lazy] == []
    assert len(lazy) == 1


def test_heavy_libraries_are_imported_late() -> None:
    assert [line for path in FILES for line in complaints(path)] == []


def test_the_command_line_loads_no_heavy_library() -> None:
    code = "import sys, cosee, cosee.cli, cosee.pipeline.workflow; sys.stdout.write(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(HEAVY & set(loaded)) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')", "exec('1')", "import pickle", "from pickle import loads", "import os\nos.system('ls')",
        "from os import system", "subprocess.run('ls', shell=True)", "subprocess.run('ls', shell=flag)",
        "yaml.load(text)", "yaml.unsafe_load(text)", "numpy.load(path, allow_pickle=True)", "torch.load(path)",
        "importlib.import_module(name)", "from importlib import import_module", "__import__(name)",
        "AutoModel.from_pretrained(name, trust_remote_code=True)", "frame = pd.read_pickle(path)",
    ],
)  # fmt: skip
def test_each_forbidden_construct_is_found(source: str) -> None:
    assert list(forbidden(Path("a.py"), source))


@pytest.mark.parametrize(
    "source",
    [
        "re.compile('a')", "model.eval()", "yaml.safe_load(text)", "numpy.load(path, allow_pickle=False)",
        "subprocess.run(['ls'], shell=False)", "torch.load(path, weights_only=True)", "'eval(1)'", "import json",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_allowed(source: str) -> None:
    assert not list(forbidden(Path("a.py"), source))


@pytest.mark.parametrize(
    ("path", "source", "bad"),
    [
        ("agents/a.py", "def f():\n    import torch", True),
        ("models/a.py", "import torch", True),
        ("models/a.py", "def f():\n    import torch", False),
        ("models/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", False),
        ("pipeline/a.py", "import numpy", True),
        ("pipeline/a.py", "class A:\n    def f(self):\n        import numpy", False),
        ("artifacts/a.py", "if x:\n    from PIL import Image", True),
        ("index/a.py", "import numpy", False),
    ],
)
def test_late_imports_are_told_from_early_ones(path: str, source: str, bad: bool) -> None:
    assert bool(complaints(SOURCE / "cosee" / path, source)) == bad
