from cosee.pipeline.code_closure import SOURCE_ROOT, closure, code_sha256


def names(module: str) -> set[str]:
    return {path.relative_to(SOURCE_ROOT / "cosee").as_posix() for path in closure(module)}


def test_closure_follows_imports_and_stops_there():
    # contract: D1
    adapt = names("cosee.stages.adapt")
    assert {"stages/adapt.py", "artifacts/files.py", "pipeline/runner.py", "adapter/adapt.py"} <= adapt
    assert not [name for name in adapt if name.startswith(("enhancer/", "builder/", "index/", "agents/", "report/"))]
    enhance = names("cosee.stages.enhance")
    assert "enhancer/enhance.py" in enhance
    assert not {"adapter/adapt.py", "adapter/pdf_reader.py", "adapter/page_layout.py", "stages/adapt.py"} & enhance
    assert not [name for name in enhance if name.startswith(("builder/", "index/", "agents/", "report/"))]


def test_every_stage_depends_on_files_and_only_model_stages_on_models():
    for stage in ("adapt", "enhance", "build", "index", "questions", "answer", "collect", "evaluate", "summarize"):
        assert "artifacts/files.py" in names(f"cosee.stages.{stage}")
    assert not [name for name in names("cosee.stages.build") if name.startswith("models/")]
    assert code_sha256("cosee.stages.adapt") != code_sha256("cosee.stages.enhance")
