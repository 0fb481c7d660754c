"""Names that `cosee remove` must not take for documents, and what a kill in the middle of it leaves."""

import json
from pathlib import Path

import pytest
from helpers.run_maker import make_pdf

from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.documents import DocumentRow, current, load_sheet, save_sheet
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.changed_run import ChangedRun
from cosee.artifacts.results.prediction import failed_prediction
from cosee.pipeline.paths import Paths
from cosee.runs import removal
from cosee.runs.removal import remove_documents


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    made = Paths()
    rows = []
    for name in ("one", "two"):
        make_pdf(made.dataset("mine") / name / "full.pdf", name)
        rows.append(DocumentRow(doc_id=name, sha256=name * 8, pages=1, shard="0000"))
    save_sheet(made.sheet("mine"), rows)
    questions = [{"question_id": f"{name}-1", "doc_id": name, "question": "What?"} for name in ("one", "two")]
    made.question_file("mine").parent.mkdir(parents=True)
    made.question_file("mine").write_text("".join(f"{json.dumps(row)}\n" for row in questions))
    for run in ("first", "second"):
        answers = [
            failed_prediction(question_id=f"{name}-1", doc_id=name, dataset="mine", method="m", reason="x")
            for name in ("one", "two")
        ]
        save_rows(made.results / run / "predictions" / "m.jsonl", answers)
        for name in ("metrics.json", "answers.csv", "run.json", "notes.txt"):
            (made.results / run / name).write_text("{}")
    (made.results / "report").mkdir()
    (made.results / "report" / "index.html").write_text("one")
    return made


@pytest.mark.parametrize("name", ["..", ".", "qa", "measured", "", "one/full.pdf", "../mine/one", ".shards", "three"])
def test_what_is_no_document_is_refused_and_nothing_is_deleted(paths: Paths, name: str) -> None:
    before = sorted(path for path in Path().rglob("*"))
    with pytest.raises(ArtifactError, match="has no document"):
        remove_documents(paths, "mine", ["one", name])
    assert sorted(path for path in Path().rglob("*")) == before


def test_a_kill_in_the_middle_is_made_good_by_the_same_call(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(removal._DocumentRemoval, "_remove_from_run", killed)
        with pytest.raises(KeyboardInterrupt):
            remove_documents(paths, "mine", ["one"])
    assert list(current(load_sheet(paths.sheet("mine")))) == ["one", "two"]
    done = remove_documents(paths, "mine", ["one"])
    assert done.runs == ["first", "second"] and done.questions == 1
    assert list(current(load_sheet(paths.sheet("mine")))) == ["two"]
    for run in done.runs:
        folder = paths.results / run
        (gone,) = ChangedRun.load(folder / "changed.json").removed
        assert (gone.doc_id, gone.sha256) == ("one", "one" * 8)
        assert sorted(path.name for path in folder.iterdir()) == [
            "changed.json",
            "notes.txt",
            "predictions",
            "run.json",
        ]
        assert "one-1" not in (folder / "predictions" / "m.jsonl").read_text()
    assert not (paths.results / "report").exists() and not (paths.dataset("mine") / "one").exists()
    assert [path.name for path in paths.dataset("mine").glob("*/full.pdf")] == ["full.pdf"]
    again = remove_documents(paths, "mine", ["one"])
    assert (again.runs, again.questions) == ([], 0), "a document that is gone may be named again"


@pytest.mark.parametrize(("kind", "journal"), [("judgements", "judge"), ("evidence", "evidence")])
def test_what_a_model_said_of_the_answers_leaves_too(paths: Paths, kind: str, journal: str) -> None:
    run = paths.results / "first"
    rows = [{"dataset": "mine", "question_id": f"{name}-1", "said": name} for name in ("one", "two")]
    calls = run / "journal" / journal / "m.jsonl"
    for path in (run / kind / "m.jsonl", calls):
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    memory = paths.results / ".stamps" / "report.jsonl"
    memory.parent.mkdir()
    memory.write_text(json.dumps({"rows": {"first": {"one-1": ["What?"]}}}))
    remove_documents(paths, "mine", ["one"])
    assert [json.loads(line)["said"] for line in (run / kind / "m.jsonl").read_text().splitlines()] == ["two"]
    assert not calls.exists() and not memory.exists()


def test_what_was_asked_of_several_documents_together_leaves_with_any_of_them(paths: Paths, tmp_path: Path) -> None:
    for name, sha256 in (("with", "one" * 8), ("without", "two" * 8)):
        sheet = tmp_path / "cache" / "ask" / f"together-{name}" / "data" / "ask" / "documents.tsv"
        sheet.parent.mkdir(parents=True)
        save_sheet(sheet, [DocumentRow(doc_id="a", sha256=sha256, pages=1, shard="0000")])
    remove_documents(paths, "mine", ["one"])
    assert [path.name for path in (tmp_path / "cache" / "ask").iterdir()] == ["together-without"]
