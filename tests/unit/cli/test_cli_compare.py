"""``cosee compare`` over a small finished run."""

from pathlib import Path

import pytest
from helpers.project import Project
from helpers.run_maker import RUN, make_run

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.results.comparison import RunComparison
from cosee.artifacts.results.prediction import Prediction
from cosee.cli import main


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_methods_of_a_run_are_compared_and_saved(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", f"{RUN}:page_rag", f"{RUN}:cosee", "--json", "flips.json"]) == 0
    (made,) = RunComparison.load(project / "flips.json").comparisons
    # page_rag has no row for q02: that question is not shared.
    assert (made.questions, made.second.only) == (6, 1)
    assert [(flip.question_id, flip.fault.cause) for flip in made.flips] == [
        ("q05", "failed"),
        ("q06", "read_not_reasoned"),
    ]
    said = capsys.readouterr().out
    assert "wrong -> right: failed" in said and "method.strategy: page_rag | cosee" in said
    assert "2 questions flip" in said and "nothing answered from the gold pages" in said
    assert main(["show", "flips.json", "--limit", "1"]) == 0
    assert "1 more" in capsys.readouterr().out


def test_runs_are_compared_by_every_method_that_both_have(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(project / "old")
    folder = project / "old" / "results" / RUN / "predictions"
    rows = load_rows(Prediction, folder / "cosee.jsonl")
    save_rows(folder / "cosee.jsonl", [rows[0].model_copy(update={"answer": "7"}), *rows[1:]])
    (folder / "constant.jsonl").unlink()
    assert main(["compare", RUN, f"old/results/{RUN}", "--json", "flips.json"]) == 0
    page_rag, cosee = sorted(RunComparison.load(project / "flips.json").comparisons, key=lambda each: len(each.flips))
    assert (page_rag.first.method, page_rag.flips) == ("page_rag", [])
    assert [(flip.question_id, flip.direction) for flip in cosee.flips] == [("q01", "right_to_wrong")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", RUN], f"no run 'nowhere' with collected answers; results has bare, {RUN}"),
        ([f"{RUN}:cosy", f"{RUN}:cosee"], "has no method 'cosy'; it has constant, cosee, page_rag"),
        ([RUN, "bare"], f"have no method in common; name one of each, e.g. {RUN}:constant bare:other"),
        ([f"{RUN}:cosee", "bare:other"], "share no question that has a gold answer"),
        ([f"{RUN}:page_rag", f"{RUN}:cosee", "--swap"], "run.json, page_rag: run: is missing"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    save_rows(project / "results" / "bare" / "predictions" / "other.jsonl", [])
    assert main(["compare", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_swap_answers_the_flips_from_their_gold_pages_once(
    ran: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = ran.copy(tmp_path / "copy")
    monkeypatch.chdir(project.folder)
    asked = ["compare", "tiny:constant", "tiny:cosee", "--json", "flips.json"]
    assert main(asked) == 0
    (before,) = RunComparison.load(Path("flips.json")).comparisons
    assert before.flips and not any(flip.fault.proven for flip in before.flips)
    assert main([*asked, "--swap"]) == 0
    (after,) = RunComparison.load(Path("flips.json")).comparisons
    assert {(flip.fault.cause, flip.fault.proven) for flip in after.flips} == {("not_retrieved", True)}
    assert all("answers right" in flip.fault.because for flip in after.flips)
    # The run itself is as it was; the swapped answers and their journal stand beside it.
    swapped = project.results / "tiny.swap" / "answers" / "oracle_pages" / "tiny"
    assert {path.stem for path in swapped.iterdir()} == {flip.doc_id for flip in after.flips}
    assert not (project.results / "tiny" / "answers" / "oracle_pages").exists()
