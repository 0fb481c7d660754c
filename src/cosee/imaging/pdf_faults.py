"""What a damaged PDF may end in."""

from __future__ import annotations


def pdf_faults() -> tuple[type[Exception], ...]:
    """The exceptions that PyMuPDF raises for a damaged file; MuPDF's own are no RuntimeError.

    Infinite numbers make for an OverflowError, a missing part for a TypeError or AttributeError, a character beyond
    Unicode for a SystemError.
    """
    import pymupdf

    own = pymupdf.mupdf.FzErrorBase
    return RuntimeError, SystemError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, own
