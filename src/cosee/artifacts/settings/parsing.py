"""Settings of M0 and M1: ``adapt:``, ``enhance:`` and ``build:`` of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record


class AdaptSettings(Record):
    """M0: PDF to content list."""

    ocr: Literal["auto", "tesseract", "rapidocr", "none"] = Field(
        "auto",
        description="Read text that is only in pictures: 'auto' uses tesseract where it is installed, else RapidOCR "
        "where it is (pip install 'cosee[ocr]'), 'none' never does.",
    )
    ocr_languages: str = Field(
        "auto",
        pattern=r"^[A-Za-z_/+]+$",
        description="Languages for tesseract, e.g. 'eng+deu'; 'auto' takes of those that are installed the ones that "
        "fit each document's script and words.",
    )
    ocr_seconds: float = Field(120.0, gt=0, description="Seconds that tesseract may take for one picture.")
    ocr_dpi: int = Field(200, ge=72, le=600, description="Resolution at which a page is rendered for OCR.")
    restore: bool = Field(
        True,
        description="Before OCR, straighten a page that is askew and mend one that is measured to be poor: rendered "
        "finer, denoised, stretched or sharpened, whichever its faults ask for.",
    )
    max_pages: int = Field(20_000, ge=1, description="Pages read of one document; the rest is reported as missing.")
    tables: bool = Field(True, description="Look for tables on words and ruling lines.")
    pictures: bool = Field(
        True, description="Save a picture of each figure; without, reading is faster but a repeated one is not dropped."
    )


class EnhanceSettings(Record):
    """M1, first half: furniture, headings, captions."""

    remove_furniture: bool = Field(True, description="Take running headers, footers and page numbers out of the tree.")
    merge_subfigures: bool = Field(True, description="Join figure parts (a), (b) under one caption.")
    max_heading_level: int = Field(6, ge=1, le=9, description="Deepest heading level.")
    figure_model: str | None = Field(
        None, description="A name in config/models.yaml: that model looks at each figure and describes it."
    )
    figure_limit: int = Field(300, ge=0, description="Figures of one document that 'figure_model' is shown.")

    @property
    def opens_model(self) -> bool:
        """Whether the stage keeps a model in the job's own process."""
        return self.figure_model is not None


class BuildSettings(Record):
    """M1, second half: the tree and its quality gate. A tree beyond a threshold is written, and its document is
    'partial' with the threshold's reason."""

    min_text_coverage: float = Field(
        0.5, ge=0, le=1, description="A tree that holds a smaller share of the text makes the document 'partial'."
    )
    min_page_coverage: float = Field(
        0.5,
        ge=0,
        le=1,
        description="The same for the share of the pages that have a node, of those with something on them.",
    )
    max_heading_share: float = Field(
        0.7,
        gt=0,
        le=1,
        description="The same where more of the text nodes are headings (documents of at least 20 of them, no decks).",
    )
    max_long_titles: int = Field(
        5, ge=0, description="The same where more headings are longer than 200 characters: body text taken for titles."
    )
    max_chain: int = Field(
        6, ge=2, description="The same where more headings follow each other, each all that the one above holds."
    )
