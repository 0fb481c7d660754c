import itertools

import pytest

from cosee.text.sentences import chunk_ranges, split_sentences


def test_splitter_knows_abbreviations_decimals_initials_and_cjk() -> None:
    # contract: D34
    text = "Dr. Smith et al. saw 3.5 mm. J. Doe (see Fig. 3) left! 第一句。第二句！\nNew line without stop"
    assert split_sentences(text) == [
        "Dr. Smith et al. saw 3.5 mm.",
        "J. Doe (see Fig. 3) left!",
        "第一句。",
        "第二句！",
        "New line without stop",
    ]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{i}" + "." * (i % 13 == 0) for i in range(500)),
        "  leading  " + "a" * 9000 + "  trailing  ",
        "没有空格的中文文本。" * 90,
        "x",
        "   ",
    ],
)
def test_chunks_cover_every_character_and_overlap(text: str) -> None:
    # contract: D46
    ranges = chunk_ranges(text, 110, 20)
    assert ranges[0][0] == 0 and ranges[-1][1] == len(text)
    for (_, end), (start, _) in itertools.pairwise(ranges):
        assert start < end
    assert all(len(text[start:end].split()) <= 130 for start, end in ranges)


def test_chunk_ends_at_a_sentence_where_one_is_near() -> None:
    text = " ".join("word" for _ in range(99)) + " end. " + " ".join("More" for _ in range(100))
    start, end = chunk_ranges(text, 110, 20)[0]
    assert text[start:end].rstrip().endswith("end.")


def test_no_chunk_is_only_overlap() -> None:
    for words in range(100, 260, 7):
        text = " ".join(f"w{i}" for i in range(words))
        ranges = chunk_ranges(text, 110, 20)
        assert all(b[1] > a[1] for a, b in itertools.pairwise(ranges))
