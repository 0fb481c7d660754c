"""Settings of M0 and M1: ``adapt:`` and ``enhance:`` of the configuration."""

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
    ocr_dpi: int = Field(200, ge=72, le=600, description="Resolution at which a page is rendered for OCR.")
    restore: bool = Field(
        True,
        description="Before OCR, straighten a page that is askew and mend one that is measured to be poor: rendered "
        "finer, denoised, stretched or sharpened, whichever its faults ask for.",
    )
    max_pages: int = Field(20_000, ge=1, description="Pages read of one document; the rest is reported as missing.")
    tables: bool = Field(True, description="Look for tables on words and ruling lines.")
    pictures: bool = Field(
        True,
        description="Save a picture of each figure and each displayed formula; without, reading is faster but a "
        "repeated figure is not dropped.",
    )


class EnhanceSettings(Record):
    """M1, first half: furniture, headings, captions."""

    remove_furniture: bool = Field(True, description="Take running headers, footers and page numbers out of the tree.")
    figure_model: str | None = Field(
        None, description="A name in config/models.yaml: that model looks at each figure and describes it."
    )
    figure_limit: int = Field(300, ge=0, description="Figures of one document that 'figure_model' is shown.")

    @property
    def opens_model(self) -> bool:
        """Whether the stage keeps a model in the job's own process."""
        return self.figure_model is not None


class BuildSettings(Record):
    """M1, second half, has no settings: how sound a tree must be stands in ``structure/tree/thresholds.py``."""
