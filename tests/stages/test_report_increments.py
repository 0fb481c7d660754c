"""The report writes what changed only, and is then what it would be if it were made anew."""

import random
import shutil
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, QUESTIONS, RUN, make_pdf, make_run, make_tree

from cosee.artifacts import files
from cosee.artifacts.datasets.documents import load_sheet, save_sheet
from cosee.stages import evaluate, summarize

STAMP = Path("results") / ".stamps" / "report.jsonl"
REPORT = Path("results") / "report"
PREDICTIONS = Path("results") / RUN / "predictions" / "cosee.jsonl"
ASKED = Path("data") / DATASET / "qa" / "questions.jsonl"


def make(methods: list[str]) -> dict[str, bytes]:
    """Evaluate and summarize; returns the files of the report."""
    assert evaluate.main(["--run", RUN, "--methods", *methods, "--datasets", DATASET]) == 0
    assert summarize.main(["--runs", RUN]) == 0
    return report()


def report() -> dict[str, bytes]:
    return {path.relative_to(REPORT).as_posix(): path.read_bytes() for path in REPORT.rglob("*") if path.is_file()}


def made_anew() -> dict[str, bytes]:
    """The report of the same inputs without an earlier one; the earlier one is put back."""
    for path in (REPORT, STAMP.parent):
        shutil.move(path, path.with_name(f"{path.name}_aside"))
    assert summarize.main(["--runs", RUN]) == 0
    found = report()
    for path in (REPORT, STAMP.parent):
        shutil.rmtree(path)
        shutil.move(path.with_name(f"{path.name}_aside"), path)
    return found


def rewrite(path: Path, change: object) -> None:
    """Rows of a JSONL file after ``change``, a function of one row that gives None where it goes."""
    rows = [change(row) for row in files.read_jsonl(path)]  # type: ignore[operator]
    files.write_jsonl(path, [row for row in rows if row is not None])


def edit_an_answer(chance: random.Random) -> None:
    chosen = chance.choice(QUESTIONS).question_id
    rewrite(PREDICTIONS, lambda row: row | {"answer": str(chance.random())} if row["question_id"] == chosen else row)


def lose_an_answer(chance: random.Random) -> None:
    chosen = chance.choice(QUESTIONS).question_id
    rewrite(PREDICTIONS, lambda row: None if row["question_id"] == chosen else row)


def lose_a_question(chance: random.Random) -> None:
    chosen = chance.choice(QUESTIONS).question_id
    rewrite(ASKED, lambda row: None if row["question_id"] == chosen else row)


def ask_more(chance: random.Random) -> None:
    row = {"question_id": f"q{chance.randint(0, 10**6)}", "question": "Who came?", "answer": "nobody"}
    row["doc_id"] = chance.choice(["alpha", "beta", "gamma", "unknown"])
    files.write_jsonl(ASKED, [*files.read_jsonl(ASKED), row])


def edit_a_question(chance: random.Random) -> None:
    chosen = chance.choice(QUESTIONS).question_id
    gold = {"answer": "25 ships", "evidence_pages": [1]}
    rewrite(ASKED, lambda row: row | gold if row["question_id"] == chosen else row)


def edit_a_tree(chance: random.Random) -> None:
    doc_id = chance.choice(["alpha", "beta"])
    tree = make_tree(doc_id)
    tree.nodes[-1].text = f"Another text {chance.random()}"
    tree.save(Path("data") / DATASET / doc_id / "doctree.mm.json")


def edit_a_trace(chance: random.Random) -> None:
    path = chance.choice(sorted((Path("results") / RUN / "traces").rglob("*.ndjson")))
    path.write_text("{\n" * chance.randint(1, 3), encoding="utf-8")


def fail_a_document(chance: random.Random) -> None:
    doc_id = chance.choice(["alpha", "beta", "gamma"])
    failed = {"status": "failed", "reason": "timeout", "message": f"after {chance.random()} s"}
    ledger = Path("data") / DATASET / ".ledger" / "build.0000.jsonl"
    rewrite(ledger, lambda row: row | failed if row["doc_id"] == doc_id else row)


def add_a_document(chance: random.Random) -> None:
    doc_id = f"added{chance.randint(0, 10**6)}"
    folder = Path("data") / DATASET / doc_id
    make_pdf(folder / "full.pdf", doc_id)
    make_tree(doc_id).save(folder / "doctree.mm.json")
    sheet = folder.parent / "documents.tsv"
    rows = load_sheet(sheet)
    row = {"doc_id": doc_id, "sha256": files.sha256_file(folder / "full.pdf"), "pages": 2, "state": "present"}
    save_sheet(sheet, [*rows, rows[0].model_copy(update=row)])


def remove_a_document(chance: random.Random) -> None:
    sheet = Path("data") / DATASET / "documents.tsv"
    rows = load_sheet(sheet)
    save_sheet(sheet, [*rows, chance.choice(rows).model_copy(update={"state": "removed"})])


def replace_a_pdf(chance: random.Random) -> None:
    make_pdf(Path("data") / DATASET / chance.choice(["alpha", "beta"]) / "full.pdf", "other", chance.randint(1, 3))


def touch_the_report(chance: random.Random) -> None:
    path = chance.choice(sorted(path for path in REPORT.rglob("*") if path.is_file()))
    act = chance.choice(["delete", "edit", "link"])
    if act == "edit":
        path.write_bytes(b"mine")
        return
    path.unlink()
    if act == "link":
        path.symlink_to(Path("data").resolve())


def be_killed(chance: random.Random) -> None:
    """Pages of a change are written, their stamp is not, and the change is taken back."""
    before, stamp = PREDICTIONS.read_bytes(), STAMP.read_bytes()
    edit_an_answer(chance)
    assert summarize.main(["--runs", RUN]) == 0
    PREDICTIONS.write_bytes(before)
    STAMP.write_bytes(stamp if chance.random() < 0.5 else stamp[: len(stamp) // 2])


CHANGES = (edit_an_answer, lose_an_answer, lose_a_question, ask_more, edit_a_question, edit_a_tree, edit_a_trace,
           fail_a_document, add_a_document, remove_a_document, replace_a_pdf, touch_the_report, be_killed)  # fmt: skip


@pytest.mark.parametrize(("methods", "seed"), [(["cosee"], 1), (["page_rag", "cosee"], 2)])
def test_after_any_changes_the_report_is_the_one_made_anew(
    methods: list[str], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: D117
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    make(methods)
    steps = chance.sample(CHANGES, len(CHANGES))
    for number in range(0, len(steps), 2):
        for change in steps[number : number + 2]:
            change(chance)
        assert make(methods) == made_anew(), [change.__name__ for change in steps[: number + 2]]


def test_only_the_pages_of_changed_documents_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    make(["page_rag", "cosee"])
    for path in REPORT.rglob("*.html"):
        path.chmod(0o600)  # a page that is written again gets its rights anew
    chosen = "q05"
    rewrite(PREDICTIONS, lambda row: row | {"answer": "red"} if row["question_id"] == chosen else row)
    found: list[object] = []
    monkeypatch.setattr("cosee.stages.summarize.DocTree.load", lambda path: found.append(path) or make_tree("beta"))
    make(["page_rag", "cosee"])
    assert found == [Path("data") / DATASET / "beta" / "doctree.mm.json"], "the other tree is not read"
    anew = {path.stem for path in REPORT.rglob("*.html") if path.stat().st_mode & 0o777 != 0o600}
    assert chosen in anew and "beta" in anew and "alpha" not in anew and "q01" not in anew
    assert summarize.main(["--runs", RUN, "--redo", "1"]) == 0
    assert len(found) == 3, "both trees are read again"
