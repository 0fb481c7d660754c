"""Registries: names without imports, one place for a name, and plugins in files and in installed packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools import schemas

from cosee import plugins
from cosee.pipeline.config import ConfigError, load_config
from cosee.registry import KINDS, MEASURES, METHODS, Registry, RegistryError

PROJECT = Path(__file__).resolve().parents[2]
MEASURE = """\
from cosee.evaluation.measure import measure


@measure("{name}", description="A measure of the tests")
def {name}(result):
    return 1.0
"""
METHOD = """\
from typing import Literal

from cosee.agents.method import method
from cosee.agents.methods.page_rag import PageRagMethod


class OtherMethod(PageRagMethod):
    strategy: Literal["other"] = "other"


@method("other", settings=OtherMethod, calls="1", description="another")
def other(settings):
    from cosee.agents.method import make_strategy

    return make_strategy(settings.model_copy(update={"strategy": "page_rag"}))
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder that is the project; what a test loads is gone after it."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plugins.use([])


@pytest.mark.parametrize("registry", KINDS, ids=lambda each: each.kind)
def test_names_read_from_texts_are_those_that_are_registered(registry: Registry) -> None:
    names = registry.names()
    entries = registry.entries(plugins=False)
    assert names and sorted(each.name for each in entries) == names
    assert all(each.description and each.version for each in entries)
    folder = PROJECT.joinpath("src", *registry.package.split("."))
    registering = {path for path in folder.glob("*.py") if f"\n@{registry.kind}(" in path.read_text()}
    assert {each.path for each in entries} == registering


def test_listing_names_imports_nothing_of_them() -> None:
    code = (
        "import sys; from cosee.registry import KINDS; [each.names() for each in KINDS]; "
        "print([name for name in sys.modules if name.startswith('cosee.') or name == 'pydantic'])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "['cosee.registry']"


def test_reading_a_configuration_loads_no_heavy_library() -> None:
    code = (
        "import sys; from cosee.pipeline.config import load_config; from cosee.registry import METHODS; "
        "load_config({'datasets': ['d'], 'runs': {'r': {'datasets': ['d'], 'methods': METHODS.names()}}}); "
        "print(sorted({'numpy', 'torch', 'pandas', 'pymupdf'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_an_unknown_name_is_told_with_the_nearest_and_all() -> None:
    with pytest.raises(RegistryError, match=r"no method 'page_rug'; did you mean 'page_rag'\? There are: chunk_rag, "):
        METHODS.get("page_rug")


def test_a_name_that_is_taken_names_both_places(project: Path) -> None:
    (project / "one.py").write_text(MEASURE.format(name="width"))
    (project / "two.py").write_text("\n\n" + MEASURE.format(name="width"))
    with pytest.raises(plugins.PluginError) as error:
        plugins.use(["one.py", "two.py"])
    assert f"{project / 'two.py'}:6: measure 'width' is there already, from {project / 'one.py'}:4" in str(error.value)
    with pytest.raises(plugins.PluginError, match="measure 'accuracy': every method has a figure of this name"):
        (project / "two.py").write_text(MEASURE.format(name="accuracy"))
        plugins.use(["two.py"])


def test_a_configuration_has_its_plugins_and_no_others(project: Path) -> None:
    (project / "more.py").write_text(METHOD)
    runs = {"r": {"datasets": ["d"], "methods": [{"strategy": "other", "pages": 2}]}}
    config = load_config({"datasets": ["d"], "plugins": ["more.py"], "runs": runs})
    (method,) = config.runs["r"].methods
    assert method.label == "other" and method.pages == 2
    settings = config.answer_settings("r", "other")
    assert type(settings).model_validate(settings.model_dump(mode="json")) == settings
    assert METHODS.get("page_rag").plugin is None and METHODS.plugins() == ["more.py"]
    with pytest.raises(ConfigError, match="unknown key 'pags'; did you mean 'pages'"):
        methods = [{"strategy": "other", "pags": 2}]
        load_config({"datasets": ["d"], "plugins": ["more.py"], "runs": {"r": {"datasets": ["d"], "methods": methods}}})
    with pytest.raises(ConfigError, match="there is no method 'other'"):
        load_config({"datasets": ["d"], "runs": runs})


def test_an_edited_file_is_run_again_and_others_are_not(project: Path) -> None:
    (project / "one.py").write_text(MEASURE.format(name="one"))
    (project / "two.py").write_text(MEASURE.format(name="two"))
    plugins.use(["one.py", "two.py"])
    before = MEASURES.get("one").thing
    (project / "two.py").write_text(MEASURE.format(name="six"))
    plugins.use(["one.py", "two.py"])
    assert MEASURES.get("one").thing is before
    assert {"six", "one"} <= set(MEASURES.names()) and "two" not in MEASURES.names()
    assert not list(project.rglob("*.pyc"))


def test_an_installed_package_brings_its_things(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = project / "site"
    information = site / "house_measures-1.2.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: house-measures\nVersion: 1.2\n")
    (information / "entry_points.txt").write_text("[cosee.plugins]\nhouse = house_measures\n")
    (site / "house_measures.py").write_text(MEASURE.format(name="house_width"))
    monkeypatch.syspath_prepend(str(site))
    load_config({"datasets": ["d"]})
    assert list(plugins.in_use()) == ["house==1.2"]
    assert MEASURES.get("house_width").plugin == "house==1.2"
    from cosee.pipeline.code_closure import stage_code

    code = stage_code("evaluate")
    assert site / "house_measures.py" in code.files and code.plugins == ["house==1.2"]
    assert stage_code("answer", ["page_rag"]).plugins == []
    changed = code.sha256
    (site / "house_measures.py").write_text(MEASURE.format(name="house_width") + "# a remark\n")
    assert stage_code("evaluate").sha256 != changed
    assert "house_width" not in "".join(text for _, text in schemas.generated()), "schemas list ours alone"
    assert schemas.differing(PROJECT) == []
    (site / "house_measures.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(ConfigError, match=r"plugin house==1.2: site/house_measures.py:1: ModuleNotFoundError"):
        load_config({"datasets": ["d"]})


def test_code_of_a_method_is_its_own_and_that_of_what_it_uses() -> None:
    from cosee.pipeline.code_closure import SOURCE_ROOT, stage_code

    def names(method: str) -> set[str]:
        return {path.relative_to(SOURCE_ROOT / "cosee").as_posix() for path in stage_code("answer", [method]).files}

    rag, decision = names("page_rag"), names("decision")
    assert "agents/methods/page_rag.py" in rag - decision
    assert {"agents/methods/decision.py", "agents/decision/tools/calculate.py"} <= decision - rag
    assert "agents/reading.py" in rag & decision


@pytest.mark.parametrize(
    ("body", "words"),
    [("1 / 0", "measure 'wide' fails on question 'q' of 'd': ZeroDivisionError"), ("float('nan')", "gives nan")],
)
def test_a_measure_that_fails_is_named_with_its_question(project: Path, body: str, words: str) -> None:
    from cosee.artifacts.datasets.questions import Question
    from cosee.evaluation.results import score_question

    (project / "wide.py").write_text(MEASURE.format(name="wide").replace("1.0", body))
    plugins.use(["wide.py"])
    with pytest.raises(ValueError, match=words):
        score_question("d", Question(question_id="q", doc_id="a", question="?", answer="x"), None, [1])


def test_measures_of_a_plugin_have_their_column_among_the_ablations(project: Path) -> None:
    from cosee.artifacts.settings.evaluate import EvaluateSettings
    from cosee.evaluation.ablation import COLUMNS, ablation_table
    from cosee.evaluation.measure import further_measures

    settings = EvaluateSettings()
    own = [*COLUMNS, *(f"measure_{name}" for name in further_measures())]
    assert list(ablation_table("run", {}, {}, {}, settings).column_names) == own
    (project / "wide.py").write_text(MEASURE.format(name="wide"))
    plugins.use(["wide.py"])
    assert list(ablation_table("run", {}, {}, {}, settings).column_names) == [*own, "measure_wide"]
