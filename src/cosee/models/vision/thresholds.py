"""What is trusted of what the OCR engines and the detector of figures find on a picture."""

LEAST_WORD_CONFIDENCE = 0.3
"""From 0 to 1: words that the engine trusts less are noise from pictures."""
LEAST_TURN_CERTAINTY = 1.0
"""Of tesseract's own measure: below it a page is taken to stand upright."""
LEAST_SCRIPT_CERTAINTY = 1.0
"""Of tesseract's own measure: below it no script is named."""
MOST_LANGUAGES = 3
"""That a page is read with at once; each costs its own time."""
LEAST_INK_CONTRAST = 40
"""Grey levels of 256 between paper and ink of a word: below it, rows with ink cannot be told from the paper."""

LEAST_AREA_SCORE = 0.5
"""From 0 to 1: an area that the detector trusts less is none."""
MOST_AREA_OVERLAP = 0.5
"""Intersection over union of two areas of one kind: with more they are the same area found twice."""
OCR_SECONDS = 120.0
"""That tesseract may take for one picture: a dense page takes about three, one that hangs must not hold up a run."""
