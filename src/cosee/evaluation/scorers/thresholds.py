"""The numbers of the scorers. Those of a published scorer are its authors', and part of its version."""

from __future__ import annotations

LEAST_SIMILARITY = 0.5
"""Edit similarity below which ANLS is 0 (Biten et al., ICCV 2019): half the letters wrong is another answer. Scorers
differ in whether the bound itself counts."""
FLOAT_TOLERANCE = 0.01
"""Share of the larger by which two Floats of MMLongBench-Doc may differ, as published."""
SAME_NUMBER = 1e-9
"""Share by which two readings of one number may differ: what arithmetic with scale words and per cent loses."""
LEAST_FREE_TEXT_F1 = 0.5
"""Token F1 from which an answer of a sentence or more can be right; ours, where no judge is asked."""
MISSING_NUMBERS_NAMED = 5
"""Numbers that the rule of a free text names as missing."""
NUMBER_CHARACTERS = 100
"""A text of this length or more is no number; it also bounds what the pattern of numbers is tried on."""
UNIT_WORDS = 3
"""Words behind a number up to which they are its unit; more make it a sentence."""
JUDGED_CHARACTERS = 12_000
"""Most characters of an answer that the judge is shown: three thousand tokens, far above any short answer."""
