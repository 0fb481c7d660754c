"""A worked example of the navigator, from a PDF to the answer through every stage: how many line charts are there?"""

from pathlib import Path
from typing import Any

import pytest
from helpers.make_charts import bar_chart, line_chart, scatter_chart
from helpers.make_pdf import lines, make_pdf, sentence
from helpers.navigation import broken_steps

from cosee.agents.navigator.paths import Step
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import GraphEdge
from cosee.artifacts.files import safe_name
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.answer import AnswerStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage

AT = (150.0, 180.0, 420.0, 300.0)
CHARTS = (
    lambda page: line_chart(page, AT, [(5, 12, 22, 30, 36)]),
    lambda page: bar_chart(page, AT, (10, 25, 40, 30)),
    lambda page: line_chart(page, AT, [(30, 22, 18, 9, 4), (2, 8, 16, 22, 31)]),
    lambda page: scatter_chart(page, AT, [(8 * n % 97 + 1, (7 * n % 20) / 11) for n in range(30)]),
    lambda page: line_chart(page, AT, [(3, 13, 9, 21, 14)], markers=True),
)
QUESTIONS = {
    "plots": "How many line plots are there in the report?",
    "charts": "What is the number of line charts on pages 2 to 5?",
    "figure": "What does Figure 2 show?",
}


def page_of(number: int) -> Any:
    """Text, a chart, and a caption that does not name the chart's form."""

    def draw(page: Any) -> None:
        lines(page, 72, 90, [sentence(n + 10 * number, 9) for n in range(5)])
        CHARTS[number](page)
        lines(page, 150, 345, [f"Figure {number + 1}: Harbour traffic of quay {number + 1}"])
        lines(page, 72, 400, [sentence(n + 20 * number, 9) for n in range(8)])

    return draw


@pytest.fixture(scope="module")
def doc(tmp_path_factory: pytest.TempPathFactory) -> DocFolder:
    """The report after every stage up to the answers."""
    root = tmp_path_factory.mktemp("project")
    folder = DocFolder(
        "tests", "report", root / "data/tests/report", root / "indexes/tests/report", root / "results/run"
    )
    make_pdf(folder.data / "full.pdf", *(page_of(number) for number in range(len(CHARTS))))
    AdaptStage().run(folder, AdaptSettings(ocr="none"))
    EnhanceStage().run(folder, EnhanceSettings())
    BuildStage().run(folder, BuildSettings())
    IndexStage().run(folder, IndexSettings(embedder="none"))
    save_rows(
        folder.questions,
        [Question(question_id=name, doc_id="report", question=text) for name, text in QUESTIONS.items()],
    )
    answer(folder)
    return folder


def answer(folder: DocFolder) -> list[Path]:
    settings = {"run": "run", "method": {"strategy": "navigator"}, "model": "embedded", "retrieval": {}, "budget": {}}
    stage = AnswerStage(folder.data / "no_models.yaml")
    return list(stage.run(folder, AnswerSettings.model_validate({**settings, "seed": 0})).outputs)


def answered(folder: DocFolder, name: str) -> tuple[Prediction, list[TraceEvent]]:
    rows = load_rows(Prediction, folder.results / "answers/navigator/tests/report.jsonl")
    trace = load_trace(folder.results / "traces/navigator/tests" / f"{safe_name(name)}.ndjson")
    return next(row for row in rows if row.question_id == name), trace


def line_charts(tree: DocTree) -> list[str]:
    return [node.id for node in tree.of_type("image") if node.chart_form == "line"]


@pytest.mark.parametrize(("name", "first"), [("plots", 0), ("charts", 1)])
def test_the_line_charts_are_counted_and_named(doc, name, first):
    # contract: D105, D107
    tree = DocTree.load(doc.data / "doctree.mm.json")
    assert len(tree.of_type("image")) == 5 and len(line_charts(tree)) == 3
    assert not any("line" in (node.title or "").lower() for node in tree.of_type("image"))
    drawn = [node.id for node in tree.of_type("image") if node.page_idx in (0, 2, 4)]
    assert line_charts(tree) == drawn, "the charts that were drawn as lines, and no other"
    row, trace = answered(doc, name)
    expected = drawn[first:]
    assert [piece.page for piece in row.support] == [1, 3, 5][first:] and all(piece.bbox for piece in row.support)
    assert row.answer == str(len(expected)) and [piece.node_id for piece in row.support] == expected
    assert [event.message for event in trace if event.type == "decision"] == ["GENERAL"]
    path = trace[-1].data["path"]
    assert [each["node_id"] for each in path] == expected
    edges = load_rows(GraphEdge, doc.index / "graph_edges.jsonl")
    for each in path:
        steps = [Step(**step) for step in each["steps"]]
        assert broken_steps(tree, edges, steps) == [] and steps[-1].dst == each["node_id"]


def test_a_named_figure_is_gone_to_at_once(doc):
    # contract: D102
    tree = DocTree.load(doc.data / "doctree.mm.json")
    _, trace = answered(doc, "figure")
    figure = tree.labels["Figure 2"]
    plan = next(event for event in trace if event.type == "plan")
    assert (plan.author, plan.data["directives"][0]["target"] in figure) == ("rule", True)


def test_the_traces_repeat_from_the_journal(doc, monkeypatch):
    # contract: D104, D117
    outputs = answer(doc)
    before = {path: path.read_bytes() for path in outputs}
    monkeypatch.setattr("cosee.reader.client.EmbeddedClient.chat_typed", lambda *_: pytest.fail("a call was made"))
    assert {path: path.read_bytes() for path in answer(doc)} == before
