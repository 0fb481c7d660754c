"""Tables in the terminal: whatever its width, no column is lost."""

import io

import pytest
from helpers.run_maker import DATASET, METHODS, RUN, make_run
from rich.console import Console

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.commands.console import show_table
from cosee.commands.views.result_views import show_summary
from cosee.evaluation.run_summary import summarize
from cosee.pipeline.paths import Paths
from cosee.runs.files import load_predictions
from cosee.stages.evaluate import evaluate_run

COLUMNS = ("method", "accuracy#", "95 %", "right on wrong pages#", "tokens in#")
ROWS = [("multi_agent_chat_no_board", 0.33057, "0.26-0.38", 0.105, 51321), ("page_rag", 1.0, None, None, 8387)]


def printed(width: int) -> list[str]:
    out = io.StringIO()
    show_table(Console(file=out, width=width), "run", COLUMNS, ROWS)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [10, 40, 60, 80, 200])
def test_every_value_stands_in_its_column_at_any_width(width: int) -> None:
    lines = printed(width)
    (row,) = (line for line in lines if line.startswith("page_rag"))
    assert row.split() == ["page_rag", "1.000", "8387"]
    (first,) = (line for line in lines if line.startswith("multi"))
    assert first.split()[1:] == ["0.331", "0.26-0.38", "0.105", "51321"]
    folded = lines[lines.index(first) + 1 : lines.index(row)]
    assert first.split()[0] + "".join(line.strip() for line in folded) == "multi_agent_chat_no_board"


def test_a_wide_terminal_folds_nothing() -> None:
    assert any(line.startswith("multi_agent_chat_no_board ") for line in printed(200))
    assert all(len(line) <= 80 for line in printed(80))


def test_without_gold_answers_the_table_counts_what_became_of_the_questions(tmp_path) -> None:
    make_run(tmp_path)
    paths = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")
    questions = paths.question_file(DATASET)
    save_rows(questions, [each.model_copy(update={"answer": None}) for each in load_rows(Question, questions)])
    metrics = evaluate_run(paths, RUN, METHODS, [DATASET], EvaluateSettings(bootstrap=0))
    out = io.StringIO()
    show_summary(summarize([metrics], 0.5), Console(file=out, width=120))
    lines = out.getvalue().splitlines()
    assert "8 questions without a gold answer" in lines[0]
    head = next(line for line in lines if line.startswith("method"))
    assert head.split() == ["method", "answered", "answer", "failed", "quotes", "verified", "calls"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(METHODS)}
    for method in METHODS:
        predictions = {each.question_id: each for each in load_predictions(paths, RUN, method)}
        failed = 8 - sum(each.status in ("ok", "partial") for each in predictions.values())
        abstained = sum(each.abstained for each in predictions.values())
        quotes = [support for each in predictions.values() for support in each.support if support.quote]
        verified = sum(each.quote_verified for each in quotes)
        assert rows[method][:5] == [str(n) for n in (8 - failed - abstained, abstained, failed, len(quotes), verified)]
    assert rows["constant"][:3] == ["0", "8", "0"] and int(rows["page_rag"][2]) > 0 and int(rows["cosee"][4]) > 0
