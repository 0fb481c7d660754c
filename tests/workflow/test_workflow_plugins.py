"""The examples of docs/plugins.md bring a thing of each kind, and only what uses an edited one is redone."""

import json
import re
import subprocess
import sys

import pytest
from helpers.project import CONFIG, ROOT, TOPICS, Project

PAGE = (ROOT / "docs" / "plugins.md").read_text()
FILES = dict(re.findall(r"^`(\w+\.py)`: .*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
"""The examples of the page, by the name of their file."""
METHOD, TOOL, MEASURES, IMPORTER = (FILES[f"{name}.py"] for name in ("methods", "tools", "measures", "importers"))
METHODS = ("constant", "first_number", "decision")


def cosee(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cosee.cli", *arguments],
        cwd=project.folder, env=project.environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def rows(project: Project, method: str) -> list[dict]:
    path = project.results / "tiny" / "predictions" / f"{method}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Project:
    runs = {"tiny": {"datasets": ["tiny"], "methods": list(METHODS)}}
    project = Project.create(
        tmp_path_factory.mktemp("plugins") / "project", {**CONFIG, "plugins": list(FILES), "runs": runs}
    )
    for name, text in FILES.items():
        (project.folder / name).write_text(text)
    questions = project.data / "qa" / "questions.jsonl"
    asked = [json.loads(line) for line in questions.read_text().splitlines()]
    questions.write_text("".join(json.dumps({**row, "source_dataset": "House"}) + "\n" for row in asked))
    project.run()
    return project


@pytest.fixture
def project(finished, tmp_path) -> Project:
    return finished.copy(tmp_path / "project")


def test_a_thing_of_each_kind_has_its_effect(project):
    assert {row["doc_id"]: row["answer"] for row in rows(project, "first_number")} == {
        doc_id: topic[3] for doc_id, topic in TOPICS.items()
    }
    trace = next((project.results / "tiny" / "traces" / "decision").rglob("*.ndjson")).read_text()
    assert '"count_pages"' in trace and "3 pages" not in trace and "2 pages." in trace
    metrics = json.loads((project.results / "tiny" / "metrics.json").read_text())
    assert metrics["measures"]["answer_words"]["description"] == "Words of an answer"
    words = {name: method["all"]["measures"]["answer_words"] for name, method in metrics["methods"].items()}
    assert words["constant"] == 2.0 and words["first_number"] == 1.0
    official = metrics["methods"]["first_number"]["all"]["official"]
    assert official["house@2 same"]["strict"] == 1.0
    assert metrics["provenance"]["scorers"]["house"] == "version 2; the rules of this house"
    assert {f"plugin {name}" for name in FILES} <= metrics["provenance"]["versions"].keys()
    import pandas

    table = pandas.read_parquet(project.results / "tiny" / "metrics.parquet")
    assert set(table[table.scorer == "answer_words@1"].method) == set(METHODS)
    report = (project.results / "report" / "index.html").read_text()
    assert "answer words" in report and "Words of an answer; lower is better" in report
    shown = cosee(project, "show", "results/metrics_summary.json").stdout
    assert "answer_words" in shown and "Words of an answer" in shown
    letters = project.folder / "letters"
    letters.mkdir()
    (letters / "alpha.pdf").write_bytes((project.data / "alpha" / "full.pdf").read_bytes())
    made = cosee(project, "init", "post", "--from", "letters", "--path", "letters")
    assert made.returncode == 0, made.stderr
    assert "What is it about?" in (project.folder / "data" / "post" / "qa" / "questions.jsonl").read_text()


def test_an_edit_redoes_what_uses_the_thing_and_nothing_else(project):
    assert project.planned() == set()
    measures = project.folder / "measures.py"
    measures.write_text(MEASURES.replace("len(result.text.split())", "len(result.text)"))
    assert project.done() == {"evaluate", "summarize"}
    metrics = json.loads((project.results / "tiny" / "metrics.json").read_text())
    assert metrics["methods"]["constant"]["all"]["measures"]["answer_words"] == len("Not answerable")
    (project.folder / "methods.py").write_text(METHOD.replace("[0-9]+", "[0-9]"))
    tail = {"evaluate", "summarize"}
    jobs = {f"answer:first_number:{shard}" for shard in ("0000", "0001")}
    assert project.done() == jobs | {"collect:first_number"} | tail
    assert {row["answer"] for row in rows(project, "first_number")} == {"4", "3", "5"}
    (project.folder / "tools.py").write_text(TOOL.replace("{count} pages.", "{count} pages in all."))
    jobs = {f"answer:decision:{shard}" for shard in ("0000", "0001")}
    assert project.done() <= jobs | {"collect:decision"} | tail
    (project.folder / "importers.py").write_text(IMPORTER + "\n# a remark\n")
    assert project.planned() == set()


def test_one_of_our_methods_redoes_its_own_answers(project):
    source = project.folder / "src" / "cosee" / "agents" / "methods" / "constant.py"
    source.write_text(source.read_text() + "\n# a remark\n")
    jobs = {f"answer:constant:{shard}" for shard in ("0000", "0001")}
    assert project.planned() == jobs | {"collect:constant", "evaluate", "summarize"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing_of_this_name\n", "methods.py:1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("x = (\n", "methods.py:1: SyntaxError: '(' was never closed"),
        (METHOD.replace('@method("first_number"', '@method("constant"'), "method 'constant' is there already, from"),
    ],
)
def test_a_plugin_that_fails_is_one_line_before_anything_runs(project, text, words):
    (project.folder / "methods.py").write_text(text)
    result = project.snakemake()
    assert result.returncode == 2
    assert words in result.stderr and "Traceback" not in result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("cosee: ")]
    assert line.startswith("cosee: config/config.yaml: plugin methods.py: methods.py:")


def test_only_files_of_the_project_are_plugins(project):
    outside = project.folder.parent / "outside.py"
    outside.write_text("raise SystemExit('it ran')\n")
    (project.folder / "link.py").symlink_to(outside)
    for name in ("../outside.py", "link.py", "absent.py", "src"):
        config = json.loads((project.folder / "config" / "config.yaml").read_text())
        project.configure({**config, "plugins": [name]})
        result = project.snakemake()
        assert result.returncode == 2 and name in result.stderr and "it ran" not in result.stderr
        project.configure(config)
