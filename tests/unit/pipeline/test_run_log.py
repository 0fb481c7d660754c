"""What a run prints: a job's progress from its log, the reasons of a dry run, and words without a terminal."""

import io
import logging
import time
from pathlib import Path

import pytest
from snakemake.settings.types import OutputSettings
from snakemake_interface_logger_plugins.common import LogEvent

from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline import run_log
from cosee.pipeline.job_log import LoggedProgress, counted
from cosee.pipeline.plan import Plan, job_name
from cosee.pipeline.progress import Progress, log_question


@pytest.fixture
def log(tmp_path) -> Path:
    """A file that the pipeline's loggers write to, as a job's log is written."""
    path = tmp_path / "job.log"
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(message)s"))
    root = logging.getLogger("cosee")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield path
    root.removeHandler(handler)
    root.setLevel(level)


def test_progress_is_read_from_the_log_as_it_grows(log):
    seen = LoggedProgress(log)
    seen.look()
    assert seen.share == 0
    logging.getLogger("cosee.pipeline.runner").info("answer tiny/0000: 3 documents, 2 to do")
    log_question("a: b", 1, 4, "ok")
    seen.look()
    assert (seen.documents, seen.done, seen.questions, seen.share) == (2, 0, 1, 1 / 8)
    log_question("a: b", 2, 4, "failed")
    with Progress("answer tiny/0000", 2) as progress:
        progress.step(LedgerRow(doc_id="a: b", status="partial", reason="questions_failed", counts={"questions": 4}))
    seen.look()
    assert (seen.done, seen.questions, seen.failed, seen.share) == (1, 2, 1, 0.5)
    with log.open("a") as half:
        half.write("answer tiny/0000 2/2 c: fai")
    seen.look()
    assert seen.done == 1, "half a line says nothing"
    with log.open("a") as half:
        half.write("led (timeout: stopped)\n")
    seen.look()
    assert (seen.done, seen.failed, seen.share) == (2, 2, 1.0)


def test_a_ledger_in_a_few_words():
    rows = [
        LedgerRow(doc_id="a", status="ok", counts={"questions": 3, "abstained": 1, "failed": 0}),
        LedgerRow(doc_id="b", status="failed", reason="timeout"),
    ]
    assert counted(rows) == "2 documents, 3 questions, 1 not answerable, 1 documents failed (timeout)"
    assert counted(rows[1:]) == "1 document, 1 failed (timeout)"


def planned(rule: str, output: str, reason: str, **wildcards: str) -> dict:
    return {"rule_name": rule, "output": [output], "reason": reason, "wildcards": wildcards}


def test_a_dry_run_says_how_many_jobs_of_a_stage_and_why():
    plan = Plan()
    for shard in ("0000", "0001", "0002", "0003", "0004"):
        reason = "Updated input files: data/.code/index.json; Params have changed since last execution: before: [...]"
        plan.add(planned("index", f"i.{shard}", reason, dataset="d", shard=shard))
    plan.add(planned("answer", "a", "Input files updated by another job: i.0000, i.0001", run="r", method="m"))
    plan.add(planned("collect", "c", "Missing output files: c; Input files updated by another job: a", run="r"))
    plan.add({**planned("all", "", "", run="r"), "output": []})
    lines = list(plan.lines())
    assert lines[0] == "7 jobs would run:"
    assert [" ".join(line.split()) for line in lines[1:4]] == [
        "index 5 changed: code of index; settings changed (d/0000, d/0001, d/0002, and 2 more)",
        "answer 1 after index (r:m)",
        "collect 1 not made yet; after answer (r)",
    ]
    assert len(lines) == 5


def test_names_of_jobs():
    assert job_name("answer", {"run": "r", "method": "m", "dataset": "d", "shard": "0001"}) == "answer r:m d/0001"
    assert job_name("summarize", None) == "summarize"
    assert job_name("export", {"run": "r", "kind": "pdf"}) == "export r pdf"


def test_without_a_terminal_a_long_job_is_told_of_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(run_log, "TICK_S", 0.02)
    monkeypatch.setattr(run_log, "FIRST_WORD_S", 0.1)
    monkeypatch.setattr(run_log, "end_at_once", lambda: None)
    printed = io.StringIO()
    monkeypatch.setattr("sys.stderr", printed)
    handler = run_log.RunLog(OutputSettings(), None)
    job_log = tmp_path / "job.log"
    job_log.write_text("adapt d/0000: 4 documents, 4 to do\nadapt d/0000 1/4 a: ok pages=3\n")
    job = {"rule_name": "adapt", "wildcards": {"dataset": "d", "shard": "0000"}, "output": ["x"], "jobid": 1}

    def tell(event: LogEvent, **fields: object) -> None:
        handler.emit(logging.makeLogRecord({"msg": "", "levelno": logging.INFO, "event": event, **fields}))

    tell(LogEvent.WORKFLOW_STARTED)
    tell(LogEvent.RUN_INFO, stats={"adapt": 1, "all": 1, "total": 2})
    tell(LogEvent.JOB_INFO, **job, log=[str(job_log)])
    time.sleep(1.0)
    tell(LogEvent.JOB_FINISHED, job_id=1)
    handler.close()
    lines = printed.getvalue().splitlines()
    assert lines[0] == "1 job: adapt 1"
    told = [line for line in lines if line.startswith("0/1 jobs; running: adapt d/0000 (1/4 documents, about ")]
    assert 1 <= len(told) <= 4 and told[0].endswith(" s left)"), lines
    assert lines[-1].startswith("adapt d/0000: ")


def test_a_failed_job_shows_the_end_of_its_log_and_not_its_command(tmp_path, monkeypatch):
    monkeypatch.setattr(run_log, "end_at_once", lambda: None)
    printed = io.StringIO()
    monkeypatch.setattr("sys.stderr", printed)
    handler = run_log.RunLog(OutputSettings(show_failed_logs=True), None)
    job_log = tmp_path / "job.log"
    job_log.write_text("".join(f"line {number}\n" for number in range(100)) + "a disk \x1b[31mis full\n")
    rule_error = {"exception": "RuleException", "event": LogEvent.ERROR}
    text = "CalledProcessError in file x, line 3:\nCommand 'python --settings {...}' returned non-zero exit status 1."
    handler.emit(logging.makeLogRecord({"msg": text, "levelno": logging.ERROR, **rule_error}))
    error = {"rule_name": "adapt", "jobid": 7, "log": [f"{job_log} (check log file(s) for error details)"]}
    handler.emit(logging.makeLogRecord({"msg": "", "levelno": logging.ERROR, "event": LogEvent.JOB_ERROR, **error}))
    handler.close()
    lines = printed.getvalue().splitlines()
    assert lines[0] == f"adapt: failed; see {job_log}"
    assert lines[-1] == "  a disk  [31mis full" and "  line 99" in lines and "  line 1" not in lines
    assert "--settings" not in printed.getvalue()
