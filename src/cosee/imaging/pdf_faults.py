"""What a damaged PDF may end in."""

from __future__ import annotations


def pdf_faults() -> tuple[type[Exception], ...]:
    """The exceptions that PyMuPDF raises for a damaged file; MuPDF's own are no RuntimeError.

    Infinite numbers make for an OverflowError, a missing part for a TypeError or AttributeError.
    """
    import pymupdf

    own = pymupdf.mupdf.FzErrorBase
    return RuntimeError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, own
