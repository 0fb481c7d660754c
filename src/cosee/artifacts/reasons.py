"""The closed vocabulary of reasons: why a document's row is not ``ok``. What to do about each is in docs/reasons.md.

The sentences for users are in ``cosee.commands.reasons``: to reword one must not redo a stage.
"""

from __future__ import annotations

import re

REASONS = (
    # the file cannot be read
    "link",
    "missing_file",
    "empty_file",
    "not_a_pdf",
    "needs_password",
    "wrong_password",
    "unsupported_encryption",
    "no_pages",
    "damaged",
    # it is no PDF and does not become one
    "unknown_kind",
    "macros",
    "too_large",
    "no_converter",
    # the file was read in part
    "unreadable_pages",
    "max_pages",
    "truncated",
    "no_text_layer",
    "garbage_text",
    "images_missing",
    "unsupported_xfa",
    # what MinerU or docling made of it
    "unknown_type",
    "unsafe_path",
    "image_missing",
    "bad_page",
    "lost_block",
    # its tree
    "tree_problems",
    "no_content",
    "unaccounted_ink",
    "low_text_coverage",
    "low_page_coverage",
    "too_many_headings",
    "long_titles",
    "single_child_chain",
    # artifacts and models
    "missing_input",
    "bad_input",
    "no_tree",
    "no_index",
    "index_unsound",
    "embedder_changed",
    "model",
    "questions_failed",
    "run_budget",
    # bounds and faults
    "timeout",
    "memory",
    "killed",
    "crash",
    "error",
    "no_output",
    "no_row",
)
"""``error`` is followed by the class of the exception: ``error:KeyError``."""
RETRIED: frozenset[str] = frozenset(
    ("timeout", "memory", "killed", "needs_password", "wrong_password", "no_converter", "run_budget")
)
"""Failures that another try could cure: they leave no stamp, so that the next job tries the document again."""


PATTERN = f"^(?:{'|'.join(REASONS)}|error:[A-Za-z_][A-Za-z0-9_]*)$"


def check(reason: str | None) -> None:
    """Raise ValueError unless ``reason`` is None or of the vocabulary."""
    if reason is not None and not re.fullmatch(PATTERN, reason):
        raise ValueError(f"{reason!r} is no known reason; add it to cosee.artifacts.reasons with its remedy")
