"""Where a model answers, no line of the reader without a model runs."""

import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest
from helpers.agent_trees import small_tree

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.index import IndexSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.index import IndexStage

GUARDED = """
import sys
from pathlib import Path

class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[:2] == ["cosee", "reader"]:
            raise ImportError(f"{name} is imported where a model answers")

sys.meta_path.insert(0, Guard())

from cosee.artifacts.settings.answer import AnswerSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.answer import AnswerStage

root, method, model = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
doc = DocFolder("tests", "doc_a", root / "data/tests/doc_a", root / "indexes/tests/doc_a", root / "results/run")
value = {"run": "run", "method": {"strategy": method}, "model": model, "retrieval": {}, "budget": {}, "seed": 0}
AnswerStage(root / "models.yaml").run(doc, AnswerSettings.model_validate(value))
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    doc = DocFolder("tests", "doc_a", root / "data/tests/doc_a", root / "indexes/tests/doc_a", root / "results/run")
    tree = small_tree()
    tree.save(doc.data / "doctree.mm.json")
    with pymupdf.open() as pdf:
        for page in tree.pages:
            pdf.new_page(width=page.width, height=page.height)
        pdf.save(doc.data / "full.pdf")
    question = "How many people did the company employ in 2023?"
    save_rows(doc.questions, [Question(question_id="q", doc_id="doc_a", question=question)])
    IndexStage().run(doc, IndexSettings(embedder="none"))
    files.write_json(
        root / "models.yaml", {"models": {"fixed": {"kind": "scripted", "replies": ['{"answer": "412"}']}}}
    )
    return root


def run(root: Path, method: str, model: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", GUARDED, str(root), method, model]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("method", ["page_rag", "cosee", "navigator", "decision"])
def test_a_question_to_a_model_enters_no_file_of_the_reader(root: Path, method: str) -> None:
    ended = run(root, method, "fixed")
    assert ended.returncode == 0, ended.stderr
    (row,) = load_rows(Prediction, root / "results/run/answers" / method / "tests/doc_a.jsonl")
    assert row.model == "scripted" and row.usage.calls >= 1 and not (row.reason or "").startswith("error")
    assert method != "page_rag" or row.answer == "412"


def test_the_guard_sees_the_reader_where_it_answers(root: Path) -> None:
    ended = run(root, "page_rag", "embedded")
    assert ended.returncode != 0 and "cosee.reader is imported where a model answers" in ended.stderr
