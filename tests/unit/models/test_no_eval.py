"""Model output and document text are data: no call in the model layer can run them."""

from __future__ import annotations

import ast
from pathlib import Path

import cosee.models

FORBIDDEN = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "ast.literal_eval"}
SOURCES = sorted(Path(cosee.models.__file__).parent.rglob("*.py"))


def calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_nothing_is_evaluated_or_unpickled():
    assert len(SOURCES) > 10
    for source in SOURCES:
        tree = ast.parse(source.read_text())
        assert not FORBIDDEN & set(calls(tree)), source.name
        keywords = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.keyword)]
        assert "shell=True" not in keywords, source.name
        imported = {
            alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
        }
        assert not imported & {"pickle", "marshal", "shelve", "dill"}, source.name
