"""Rules that hold for every source file: nothing runs text as code, and heavy libraries are imported late."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.forbidden_code import forbidden, network_imports, snakefile_source
from helpers.source_imports import imports

SOURCE = Path(__file__).resolve().parents[2] / "src"
PROJECT = SOURCE.parent
FILES = sorted((SOURCE / "cosee").rglob("*.py"))
ALL_FILES = [*FILES, *sorted((PROJECT / "benchmarks").rglob("*.py")), *sorted((PROJECT / "data").glob("*/*.py"))]
SNAKEFILES = [PROJECT / "Snakefile", PROJECT / "workflow" / "Snakefile", *sorted((PROJECT / "workflow").rglob("*.smk"))]
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
    inside = path.relative_to(SOURCE / "cosee")
    in_models = inside.parts[0] == "models" or inside.as_posix() == "quality/picture_measures.py"
    for found in imports(path, source):
        library = found.module.split(".")[0]
        late = found.nested or found.typing_only
        if library in MODEL_LIBRARIES and not (in_models and late):
            lines.append(
                f"{path}:{found.line} imports {library}: only inside functions of models/ and the picture measures"
            )
        elif library in HEAVY and light(path) and not late:
            lines.append(f"{path}:{found.line} imports {library} at the top: import it inside the function")
    return lines


LOADERS = {
    ("src/cosee/__init__.py", "call of importlib.import_module"): "public names, from a fixed table in the same file",
    ("src/cosee/registry.py", "call of importlib.import_module"): "a file of our own package that registers a name",
    ("src/cosee/plugins.py", "call of importlib.util.spec_from_file_location"): "a file that the configuration names",
    ("src/cosee/plugins.py", "call of spec.loader.exec_module"): "the same file, inside the project: the user's code",
}
"""The only imports by name, each with what they import."""
NETWORK_FILES = {
    "src/cosee/models/served/openai_client.py", "src/cosee/models/served/anthropic_client.py",
    "src/cosee/models/served/google_client.py",
    "src/cosee/commands/serve.py", "src/cosee/commands/search_app.py", "src/cosee/commands/search_pages.py",
    "benchmarks/reliability_kills.py", "benchmarks/seeing_server.py",
}  # fmt: skip
"""The clients of served models, the endpoint that a user starts and the model servers of benchmarks on loopback:
nothing else may open a connection."""
QUOTED_OR_PLAIN = re.compile(r"(?<!\{)\{(?!\{)((?:[\w.]+)(?::q)?)\}(?!\})")
PLAIN = {"threads", "resources.redo", "params.budget", "params.judged"}
"""Values in commands that are checked numbers."""


def test_nothing_runs_text_as_code() -> None:
    sources = {path: None for path in ALL_FILES} | {path: snakefile_source(path) for path in SNAKEFILES}
    found = [(path, line, what) for path, source in sources.items() for line, what in forbidden(path, source)]
    lazy = [each for each in found if (each[0].relative_to(PROJECT).as_posix(), each[2]) in LOADERS]
    assert [f"{path}:{line} {what}" for path, line, what in found if (path, line, what) not in lazy] == []
    assert len(lazy) == len(LOADERS) and len(sources) > 300


def test_only_clients_and_the_endpoint_may_open_connections() -> None:
    found = {path.relative_to(PROJECT).as_posix() for path in ALL_FILES if list(network_imports(path))}
    assert found == NETWORK_FILES


def test_commands_of_rules_quote_every_value() -> None:
    texts = [
        node.value
        for path in SNAKEFILES
        for node in ast.walk(ast.parse(snakefile_source(path)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    options = [text for text in texts if text.startswith("--") or "python -m" in text or "> {log" in text]
    values = [value for text in options for value in QUOTED_OR_PLAIN.findall(text)]
    assert len(values) > 10
    assert [value for value in values if not value.endswith(":q") and value not in PLAIN] == []


def test_templates_never_turn_escaping_off() -> None:
    templates = sorted((SOURCE / "cosee" / "report" / "templates").rglob("*"))
    assert (
        templates
        and [
            f"{path.name}: {found}"
            for path in templates
            for found in re.findall(r"\|\s*safe\b|autoescape\s+false|\bMarkup\b", path.read_text(encoding="utf-8"))
        ]
        == []
    )


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
        "AutoModel.from_pretrained(name, trust_remote_code=True)", "frame = pd.read_pickle(path)", "import marshal",
        "torch.load(path, weights_only=False)", "torch.load(path, weights_only=flag)", "import joblib",
        "jinja2.Environment(loader=loader)", "Environment(loader=loader, autoescape=False)", "Template(text).render()",
        "Markup(text)", "archive.extractall(folder)", "shutil.unpack_archive(path)",
        "frame.eval(text)", "subprocess.run(f'ls {name}')", "os.execvp(name, [])", "requests.get(url, verify=False)",
        "spec.loader.exec_module(module)", "from pickle import *", "environment.from_string(text)", "x = builtins.eval",
    ],
)  # fmt: skip
def test_each_forbidden_construct_is_found(source: str) -> None:
    assert list(forbidden(Path("a.py"), source))


@pytest.mark.parametrize(
    "source",
    [
        "re.compile('a')", "model.eval()", "yaml.safe_load(text)", "numpy.load(path, allow_pickle=False)",
        "subprocess.run(['ls'], shell=False)", "torch.load(path, weights_only=True)", "'eval(1)'", "import json",
        "Environment(loader=loader, autoescape=True)", "Markup('<br>')", "subprocess.run(command)",
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
