import ast
from pathlib import Path

from cosee.pipeline.code_closure import PACKAGE, SOURCE_ROOT, _data, closure, code_sha256, imported


def names(module: str) -> set[str]:
    return {path.relative_to(SOURCE_ROOT / "cosee").as_posix() for path in closure(module)}


def test_closure_follows_imports_and_stops_there():
    # contract: D1
    adapt = names("cosee.stages.adapt")
    assert {"stages/adapt.py", "artifacts/files.py", "pipeline/runner.py", "parse/content/adapt.py"} <= adapt
    assert not [name for name in adapt if name.startswith(("structure/", "index/", "agents/", "report/"))]
    for stage in ("adapt", "build", "index", "collect"):
        assert not {"artifacts/settings/answer.py", "artifacts/settings/methods.py"} & names(f"cosee.stages.{stage}")
    enhance = names("cosee.stages.enhance")
    assert "structure/enhance.py" in enhance
    others = ["parse/content/adapt.py", "parse/pdf_reader.py", "parse/layout/page_layout.py", "stages/adapt.py"]
    assert all((SOURCE_ROOT / "cosee" / name).is_file() for name in others)
    assert not set(others) & enhance
    assert not [name for name in enhance if name.startswith(("structure/tree/", "index/", "agents/", "report/"))]
    index = names("cosee.stages.index")
    assert "index/llm_summaries.py" in index
    assert not [name for name in index if name.startswith(("reader/", "agents/", "retrieval/", "evaluation/"))]


def test_every_stage_depends_on_files_and_only_model_stages_on_models():
    for stage in ("adapt", "enhance", "build", "index", "questions", "answer", "collect", "evaluate", "summarize"):
        assert "artifacts/files.py" in names(f"cosee.stages.{stage}")
    assert not [name for name in names("cosee.stages.build") if name.startswith("models/")]
    assert code_sha256("cosee.stages.adapt") != code_sha256("cosee.stages.enhance")


def test_imports_are_read_as_the_syntax_tree_has_them():
    modules = sorted((SOURCE_ROOT / PACKAGE).rglob("*.py"))
    assert len(modules) > 300
    for path in modules:
        wanted: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                wanted |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        wanted = {name for name in wanted if name.split(".")[0] == PACKAGE and _is_module(name)}
        assert set(imported(path.read_text())) == wanted, path


def _is_module(name: str) -> bool:
    base = SOURCE_ROOT.joinpath(*name.split("."))
    return base.with_suffix(".py").is_file() or (base / "__init__.py").is_file()


def test_what_python_keeps_of_a_module_that_is_gone_is_no_code(tmp_path: Path) -> None:
    (tmp_path / "gone" / "__pycache__").mkdir(parents=True)
    (tmp_path / "gone" / "__pycache__" / "old.cpython-311.pyc").write_bytes(b"")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("")
    assert _data(tmp_path) == (tmp_path / "templates" / "page.html",)
