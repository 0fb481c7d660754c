"""How documents are named where a question is about several, and where what belongs to all of them is kept."""

from __future__ import annotations

COLLECTION = ".collection"
"""Name of several documents as one, and of the folder of their index; no document can have it."""
ASKED = ".questions"
"""Folder that holds, in the place of documents, what is made of questions over several."""


def document_of(name: str, dataset: str) -> tuple[str, str]:
    """Dataset and doc_id of a document as a question or an answer of ``dataset`` names it."""
    first, slash, rest = name.partition("/")
    return (first, rest) if slash else (dataset, name)


def page_name(name: str, page: int) -> str:
    """A page for a person: its number, with its document where one is named."""
    return f"{page} of {name}" if name else str(page)


def name_of(document: tuple[str, str], dataset: str) -> str:
    """How a question or an answer of ``dataset`` names a document (dataset and doc_id)."""
    return document[1] if document[0] == dataset else "/".join(document)
