"""Constructs that run text as code, unpickle, start a shell, unpack archives blindly or reach a network.

Read from syntax trees, of Snakefiles too. ``forbidden`` yields what no file may hold; ``network_imports`` what only the
clients of served models may.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helpers.source_imports import syntax_tree

MODULES = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "joblib", "imp", "runpy", "code", "pty",
    "pkgutil", "telnetlib", "xmlrpc", "importlib.import_module", "importlib.machinery", "os.system", "os.popen",
    "yaml.load", "yaml.unsafe_load", "tempfile.mktemp",
}  # fmt: skip
CALLS = {
    "eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec", "os.system", "os.popen", "os.startfile",
    "subprocess.getoutput", "subprocess.getstatusoutput", "importlib.import_module", "importlib.reload",
    "importlib.util.spec_from_file_location", "yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all",
    "yaml.unsafe_load_all", "tempfile.mktemp", "shutil.unpack_archive", "ssl._create_unverified_context",
    "torch.hub.load", "asyncio.create_subprocess_shell",
}  # fmt: skip
METHODS = {
    "read_pickle", "to_pickle", "exec_module", "load_module", "extractall", "unsafe_load", "full_load", "from_string",
    "get_source_code", "create_subprocess_shell",
}  # fmt: skip
FALSE_ONLY = {"shell", "allow_pickle", "trust_remote_code", "is_safe"}
TRUE_ONLY = {"autoescape", "weights_only", "verify", "local_files_only"}
NETWORK = {
    "socket", "socketserver", "ssl", "urllib.request", "http.client", "http.server", "ftplib", "smtplib", "poplib",
    "imaplib", "nntplib", "requests", "urllib3", "httpx", "aiohttp", "websockets", "openai", "anthropic", "google",
    "huggingface_hub", "paramiko", "fastapi", "uvicorn", "starlette",
}  # fmt: skip


def snakefile_source(path: Path) -> str:
    """The Python that Snakemake makes of a Snakefile."""
    from snakemake.parser import parse
    from snakemake.sourcecache import LocalSourceFile

    class Workflow:
        class sourcecache:  # noqa: N801
            @staticmethod
            def open(source: Any, mode: str = "r") -> Any:
                return path.open(mode, encoding="utf-8")

    source: str = parse(LocalSourceFile(str(path)), Workflow, {})[0]
    return source


def forbidden(path: Path, source: str | None = None) -> Iterator[tuple[int, str]]:
    """(line, what) for each construct that no file may hold."""
    for node in ast.walk(syntax_tree(path, source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module in _modules(node):
                if _within(module, MODULES):
                    yield node.lineno, f"import of {module}"
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, what) for what in _faults(node))
        elif isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in ("builtins.eval", "builtins.exec"):
            yield node.lineno, ast.unparse(node)


def network_imports(path: Path, source: str | None = None) -> Iterator[tuple[int, str]]:
    """(line, module) for each import of a library that opens connections."""
    for node in ast.walk(syntax_tree(path, source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module in _modules(node):
                if _within(module, NETWORK):
                    yield node.lineno, module


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level else [f"{node.module}.{alias.name}" for alias in node.names]


def _within(module: str, names: set[str]) -> bool:
    parts = module.split(".")
    return any(".".join(parts[:length]) in names for length in range(1, len(parts) + 1))


def _faults(node: ast.Call) -> Iterator[str]:
    name = ast.unparse(node.func)
    method = name.rpartition(".")[2]
    if name in CALLS or method in METHODS or name.startswith(("os.exec", "os.spawn", "pty.")):
        yield f"call of {name}"
    if method == "eval" and "." in name and node.args:
        yield f"call of {name} with a text"
    if method in ("Template", "Markup") and not all(isinstance(each, ast.Constant) for each in node.args):
        yield f"call of {name} with a text that is not written here"
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    for keyword, value in keywords.items():
        if keyword in FALSE_ONLY and not _is(value, False):
            yield f"{keyword} in the call of {name}"
        if keyword in TRUE_ONLY and not _is(value, True):
            yield f"{keyword} that is not True in the call of {name}"
    if name == "torch.load" and "weights_only" not in keywords:
        yield "torch.load without weights_only"
    if method == "Environment" and "loader" in keywords and "autoescape" not in keywords:
        yield "templates without autoescape"
    is_process = name in ("subprocess.run", "subprocess.Popen", "subprocess.check_output", "subprocess.check_call")
    if is_process and node.args and isinstance(node.args[0], ast.JoinedStr | ast.Constant | ast.BinOp):
        yield f"a command as one text in the call of {name}"


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
