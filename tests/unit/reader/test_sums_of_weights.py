"""Weights of words come from sets, whose order differs from process to process: their sums must not."""

import re
from pathlib import Path

import cosee.reader

PLAIN = re.compile(r"(?<![\w.])sum\(\(?(weights|rarity)\b[^)\n]*\)?\.get\(")


def test_weights_of_words_are_summed_exactly():
    # contract: D117
    modules = sorted(Path(cosee.reader.__file__).parent.glob("*.py"))
    sources = {path.name: path.read_text() for path in modules}
    assert sum("fsum(" in source for source in sources.values()) >= 3
    assert {name: PLAIN.findall(source) for name, source in sources.items() if PLAIN.search(source)} == {}
