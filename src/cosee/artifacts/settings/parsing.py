"""Settings of M0 and M1: ``adapt:``, ``enhance:`` and ``build:`` of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record


class AdaptSettings(Record):
    """M0: PDF to content list."""

    ocr: Literal["auto", "tesseract", "none"] = Field(
        "auto", description="Read image-only pages: 'auto' uses tesseract where it is installed, 'none' never does."
    )
    ocr_languages: str = Field("eng", pattern=r"^[A-Za-z_+]+$", description="Languages for OCR, e.g. 'eng+deu'.")
    ocr_dpi: int = Field(200, ge=72, le=600, description="Resolution at which a page is rendered for OCR.")
    max_pages: int = Field(20_000, ge=1, description="Pages read of one document; the rest is reported as missing.")
    tables: bool = Field(True, description="Look for tables on words and ruling lines.")


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
    """M1, second half: the tree and its quality gate."""

    min_text_coverage: float = Field(
        0.5, ge=0, le=1, description="A tree that holds a smaller share of the text makes the document 'partial'."
    )
