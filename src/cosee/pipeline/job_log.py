"""How far a job is, read from the lines that cosee.pipeline.progress and the runner write to its log; and what a ledger
says in a few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.ledger import LedgerRow

BEGUN = re.compile(r"\S+ \S+: (\d+) documents, (\d+) to do$")
DOCUMENT = re.compile(r"\S+ \S+ \d+/\d+ (.+): (ok|partial|failed|skipped)\b")
QUESTION = re.compile(r"(.+): question (\d+)/(\d+) (ok|partial|failed)$")
PIECE = 1 << 20
"""Bytes of a log that are read at a time."""


class LoggedProgress:
    """What a job's log says of its progress, read on from where the last look ended."""

    def __init__(self, log: Path) -> None:
        self.documents = 0
        """Documents that the job has to do; 0 until it says so."""
        self.done = 0
        self.questions = 0
        self.failed = 0
        """Documents that failed, or of answers, questions."""
        self._log = log
        self._offset = 0
        self._rest = b""
        self._parts: dict[str, float] = {}
        """Document under way -> the share of its questions that ended."""

    @property
    def share(self) -> float:
        """How much of the job is done, 0 to 1."""
        return min(1.0, (self.done + sum(self._parts.values())) / self.documents) if self.documents else 0.0

    def look(self) -> None:
        """Read what the log has gained. There may be no log yet."""
        try:
            with open(self._log, "rb") as handle:
                handle.seek(self._offset)
                gained = handle.read(PIECE)
        except OSError:
            return
        self._offset += len(gained)
        *lines, self._rest = (self._rest + gained).split(b"\n")
        for line in lines:
            self._read(line.decode("utf-8", errors="replace"))

    def _read(self, line: str) -> None:
        if begun := BEGUN.match(line):
            self.documents, self.done, self.questions, self.failed = int(begun[2]), 0, 0, 0
            self._parts.clear()
        elif question := QUESTION.match(line):
            self.questions += 1
            self.failed += question[4] == "failed"
            self._parts[question[1]] = int(question[2]) / int(question[3])
        elif ended := DOCUMENT.match(line):
            self.done += 1
            self._parts.pop(ended[1], None)
            self.failed += ended[2] == "failed"


def counted(rows: Sequence[LedgerRow]) -> str:
    """What became of a ledger's documents and questions, in a few words."""
    statuses = Counter(row.status for row in rows)
    reasons = Counter(row.reason for row in rows if row.status == "failed" and row.reason)
    asked = sum(row.counts.get("questions", 0) for row in rows)
    words = [f"{len(rows)} {'document' if len(rows) == 1 else 'documents'}"]
    if asked:
        words.append(f"{asked} {'question' if asked == 1 else 'questions'}")
        for name, called in (("abstained", "not answerable"), ("failed", "failed")):
            if number := sum(row.counts.get(name, 0) for row in rows):
                words.append(f"{number} {called}")
    for status in ("partial", "failed", "skipped"):
        if statuses[status]:
            why = ", ".join(reason for reason, _ in reasons.most_common(2)) if status == "failed" else ""
            what = "documents " if asked else ""
            words.append(f"{statuses[status]} {what}{status}{f' ({why})' if why else ''}")
    return ", ".join(words)
