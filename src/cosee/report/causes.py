"""What became of a question, in words and as the letter that the list of questions has for it."""

from __future__ import annotations

from cosee.artifacts.results.metrics import Cause

CAUSES: dict[Cause, str] = {
    "right": "right",
    "read_not_reasoned": "gold pages read, answer wrong",
    "extracted_wrong": "gold answer said, another one given",
    "retrieved_not_read": "a gold page retrieved, not read",
    "not_retrieved": "a gold page not retrieved",
    "scorer": "right by another scorer",
    "answered_unanswerable": "answered an unanswerable question",
    "pages_unknown": "wrong, gold pages unknown",
    "failed": "failed or missing",
}
LETTERS: dict[Cause, str] = {
    "right": "r", "not_retrieved": "n", "retrieved_not_read": "c", "read_not_reasoned": "w", "extracted_wrong": "e",
    "scorer": "s", "answered_unanswerable": "u", "pages_unknown": "x", "failed": "f",
}  # fmt: skip
