"""What each reason of a document's row means and what to do about it, for ``docs/reasons.md`` and the terminal."""

from __future__ import annotations

from typing import NamedTuple

from cosee.structure.tree.thresholds import (
    MAX_HEADING_SHARE,
    MAX_LONG_TITLES,
    MIN_PAGE_COVERAGE,
    MIN_TEXT_COVERAGE,
)


class Explained(NamedTuple):
    """One reason: the status it comes with, what happened, and what a user can do."""

    status: str
    meaning: str
    remedy: str


EXPLAINED: dict[str, Explained] = {
    "link": Explained(
        "failed",
        "The document's folder, or one for its outputs in it, is a symbolic link: outputs would be written elsewhere.",
        "Put the folder itself there. `full.pdf`, `mineru/` and `docling/` may be links.",
    ),
    "missing_file": Explained(
        "failed", "`full.pdf` is not there or cannot be read.", "Put the file back, or remove the folder."
    ),
    "empty_file": Explained("failed", "The file has 0 bytes.", "Copy it again from its source."),
    "not_a_pdf": Explained(
        "failed",
        "No `%PDF` header in the first 1,024 bytes, whatever the file is called: a web page, a pointer of Git LFS ...",
        "Open it in a text editor to see what it is, and fetch the PDF itself.",
    ),
    "needs_password": Explained(
        "failed",
        "The file is encrypted and does not open without a password.",
        "Add a line to `data/<dataset>/passwords.tsv`, or call `cosee init` with `--passwords`; then run again.",
    ),
    "wrong_password": Explained(
        "failed", "The password in `passwords.tsv` does not open the file.", "Correct the line and run again."
    ),
    "unsupported_encryption": Explained(
        "failed",
        "The file is encrypted by a handler that no open reader knows (rights management, certificates).",
        "Save it without protection in the program that opens it.",
    ),
    "no_pages": Explained(
        "failed", "A sound file that says it has no pages.", "Nothing is in it; remove the document."
    ),
    "damaged": Explained(
        "failed, partial",
        "The file is cut off or broken. `partial`: what could be repaired was read.",
        "Copy it again; else open it in a viewer and save or print it as a new PDF.",
    ),
    "unknown_kind": Explained(
        "failed",
        "No office file, web page or picture by its content, whatever it is called.",
        "Open it in the program that it is from, and save it as one of these or as a PDF.",
    ),
    "macros": Explained(
        "failed",
        "An office file that holds macros, whatever it is called: such files are not opened.",
        "Save it without macros (as `.docx`, `.xlsx`, `.pptx`) or as a PDF, where you trust its source.",
    ),
    "too_large": Explained(
        "failed",
        "A file that unfolds to far more than it is on disk, or is larger than any document.",
        "Take it apart, or save it as a PDF, where you trust its source.",
    ),
    "no_converter": Explained(
        "failed",
        "The program that makes a PDF of such files is not installed; the message names its packages.",
        "Install them and run again; `cosee doctor` shows what is there.",
    ),
    "unreadable_pages": Explained(
        "partial", "The pages named could not be read; the others were.", "Repair the file as under `damaged`."
    ),
    "max_pages": Explained("partial", "Only the first `adapt.max_pages` pages were read.", "Raise `adapt.max_pages`."),
    "truncated": Explained(
        "partial",
        "A page has more fragments of text, lines or pictures than are taken; the rest was left out.",
        "Mostly a drawing or a map: nothing to do where its text does not matter; else split the page.",
    ),
    "no_text_layer": Explained(
        "partial",
        "The pages named are pictures, and no OCR engine read them.",
        "Install tesseract or `cosee[ocr]`, leave `adapt.ocr` at `auto`, and give the same command again: it reads "
        "the documents that lacked it.",
    ),
    "garbage_text": Explained(
        "partial",
        "The letters of the pages named stand for others: their fonts do not say what is what.",
        "As under `no_text_layer`: with OCR, such pages are read from their picture.",
    ),
    "images_missing": Explained(
        "partial",
        "A figure or a formula is known, but its picture could not be cut out.",
        "Repair the file as under `damaged`.",
    ),
    "unsupported_xfa": Explained(
        "partial",
        "A dynamic XFA form: its pages exist only inside Adobe Reader.",
        "Print it to PDF there and use that file.",
    ),
    "unknown_type": Explained(
        "partial",
        "What MinerU or docling made of it has blocks of a type that is not known; they are kept as paragraphs.",
        "Look at the items flagged so.",
    ),
    "unsafe_path": Explained(
        "partial",
        "MinerU's list names a picture outside its folder, which is never opened.",
        "Correct the paths in the list.",
    ),
    "image_missing": Explained(
        "partial",
        "MinerU's list names a picture that is not there, or docling's document has one without a place.",
        "Copy MinerU's `images/` beside the list.",
    ),
    "bad_page": Explained(
        "partial",
        "What MinerU or docling made of it names a page that the PDF lacks.",
        "Check that it and the PDF belong together.",
    ),
    "lost_block": Explained(
        "partial",
        "MinerU's layout has blocks that its list lacks, or docling's document refers to what is not in it.",
        "Look at the dropped items; give `middle.json` as the list where they matter.",
    ),
    "tree_problems": Explained(
        "partial", "The tree breaks one of its own rules; the message names it.", "Please report it with the document."
    ),
    "no_content": Explained(
        "partial",
        "Nothing was found on any page: they are blank.",
        "Look at the pages with `cosee show`.",
    ),
    "unaccounted_ink": Explained(
        "partial",
        "Pages show ink that is in nothing that was read of them, such as text that is painted as a pattern.",
        "Look at the pages that the message names with `cosee show`.",
    ),
    "low_text_coverage": Explained(
        "partial",
        f"The tree holds less than {MIN_TEXT_COVERAGE:.0%} of the text.",
        "See what was dropped with `cosee show`.",
    ),
    "low_page_coverage": Explained(
        "partial", f"Less than {MIN_PAGE_COVERAGE:.0%} of the pages have a node.", "As under `low_text_coverage`."
    ),
    "too_many_headings": Explained(
        "partial",
        f"More than {MAX_HEADING_SHARE:.0%} of the text nodes are headings.",
        "Check the outline with `cosee show`.",
    ),
    "long_titles": Explained(
        "partial",
        f"More than {MAX_LONG_TITLES} headings are as long as paragraphs.",
        "Check the outline with `cosee show`.",
    ),
    "single_child_chain": Explained(
        "partial", "A chain of headings each of which holds only the next.", "Check the outline with `cosee show`."
    ),
    "missing_input": Explained("failed", "An artifact of the stage before is gone.", "Run again: it is made anew."),
    "bad_input": Explained(
        "failed",
        "An artifact, or a file of yours beside the PDF, cannot be read; the message says where.",
        "Correct or delete it and run again.",
    ),
    "no_tree": Explained("failed", "The document has no readable tree.", "Run again, or `-R build`."),
    "no_index": Explained(
        "failed", "The document's index is missing, cut off or was edited.", "Run again, or `-R index`."
    ),
    "index_unsound": Explained(
        "failed", "The index that was made does not pass its own checks.", "Please report it with the document."
    ),
    "embedder_changed": Explained(
        "failed", "The index has vectors of another embedder than the configuration's.", "Redo it: `-R index`."
    ),
    "model": Explained(
        "failed", "A model could not be loaded or called; the message says why.", "`cosee doctor` checks it."
    ),
    "questions_failed": Explained(
        "partial",
        "Some of the document's questions have no answer.",
        "Their rows say why: `cosee show` on the predictions.",
    ),
    "run_budget": Explained(
        "partial",
        "The run's `run_budget` was used up before every question of the document was answered.",
        "Raise `run_budget` and give the same command again: calls that were made are not made again.",
    ),
    "timeout": Explained(
        "failed",
        "Reading took longer than `limits.seconds`.",
        "Raise it and call `cosee run-stage STAGE`, or leave the file out; then run again.",
    ),
    "memory": Explained(
        "failed",
        "Reading took more memory than `limits.memory_mb`.",
        "Raise it and call `cosee run-stage STAGE`; then run again.",
    ),
    "killed": Explained(
        "failed",
        "The reading process was killed from outside, mostly for lack of memory on the machine.",
        "Free memory or use fewer `--cores`, and call `cosee run-stage STAGE`; then run again.",
    ),
    "crash": Explained(
        "failed", "The PDF library crashed on the file; nothing else was touched.", "As under `damaged`."
    ),
    "error": Explained(
        "failed",
        "A fault of the program; `error:` is followed by its class, and the job's log has the traceback.",
        "Please report it with the document.",
    ),
    "no_output": Explained("failed", "A stage ended without its file.", "Please report it with the job's log."),
    "no_row": Explained("failed", "A stage's ledger has no row of the document.", "Run again."),
}


def remedy(reason: str) -> str:
    """What to do about a row's reason."""
    return EXPLAINED[reason.partition(":")[0]].remedy


def reasons_page() -> str:
    """``docs/reasons.md``."""
    rows = "".join(
        f"| `{name}` | {each.status} | {each.meaning} | {each.remedy} |\n" for name, each in EXPLAINED.items()
    )
    return (
        "# Reasons\n\nGenerated by `make schemas` from `src/cosee/commands/reasons.py`; do not edit.\n\n"
        "A document that a stage could not process, or only in part, has a row in the stage's ledger that says so: its "
        "`reason` is one of this closed list, its `message` names pages, files and numbers. The report lists them. "
        "A document that failed is `skipped`, with the same reason, by the stages after; its questions fail with "
        "`<stage>:<reason>`, or `document_missing` where there is no such document.\n\n"
        "| reason | status | what happened | what to do |\n| --- | --- | --- | --- |\n" + rows
    )
