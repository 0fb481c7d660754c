"""Names of distortions as a plan writes them, and the measured statistics that tell of each.

The categories are those of the KADID-10k data set (Lin, Hosu, Saupe 2019), as far as they can be measured, and two that
matter on pages: small text and skew.
"""

from __future__ import annotations

import re

from cosee.artifacts.documents.picture_quality import Distortion

# General knowledge: the distortions of the literature on image quality (KADID-10k, TID2013), in everyday words.
_DISTORTIONS: dict[str, tuple[Distortion, str]] = {
    "Blurs": ("blur", r"blur\w*|un?sharp\w*|sharp\w*|(?:out of |in )?focus\w*|defocus\w*|crisp\w*"),
    "Noise": ("noise", r"nois\w+|grain\w*|speckle\w*|dust\w*"),
    "Compression": ("blocking", r"compress\w*|jpe?g\w*|artefacts?|artifacts?|block(?:s|y|iness|ing)"),
    "Contrast": ("low_contrast", r"contrast\w*|faded|fading|washed[ -]out|pale"),
    "Brightness change": ("darkness", r"dark\w*|bright\w*|(?:over|under)?-?expos\w+"),
    "Color distortions": ("colour_cast", r"colou?r\w*|tint\w*|yellow\w*|saturat\w+"),
    "Small text": ("small_text", r"(?:text|print|font) size|resolution|small (?:text|print)|too small"),
    "Spatial distortions": ("skew", r"skew\w*|tilt\w*|crooked|askew|slant\w*|straight"),
}
CATEGORIES = {name: statistic for name, (statistic, _) in _DISTORTIONS.items()}
"""Category -> the statistic of ``imaging.measure`` that tells of it."""
_PATTERNS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, (_, words) in _DISTORTIONS.items()}
_CANONICAL = {re.sub(r"[^a-z]", "", name.lower()): name for name in CATEGORIES}

SEVERITIES = ("none", "slight", "moderate", "severe", "extreme")
"""For scores from 5 down to 1."""


def named_categories(text: str) -> list[str]:
    """Categories that words of a text name, in the order of ``CATEGORIES``."""
    return [name for name, pattern in _PATTERNS.items() if pattern.search(text)]


def canonical(name: str) -> str:
    """A distortion's name as a plan writes it; one that is unknown stays, without white space around it."""
    text = " ".join(name.split())
    key = re.sub(r"[^a-z]", "", text.lower())
    if key in _CANONICAL:
        return _CANONICAL[key]
    found = [category for category, pattern in _PATTERNS.items() if pattern.fullmatch(text)]
    return found[0] if found else text


def severity_of(score: float) -> str:
    """The word for a score of 1..5."""
    return SEVERITIES[min(4, max(0, round(5 - score)))]
