import pytest

from cosee.text.folding import fold, title_key


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"),
        ("“Élan’s” co‐op", '"elan\'s" co-op'),
        ("ﬁle ２０１９", "file 2019"),
        ("soft\u00adhyphen", "softhyphen"),
        ("で", "で"),
    ],
)
def test_spellings_of_one_word_fold_alike(text: str, folded: str) -> None:
    assert fold(text) == folded == fold(folded)


def test_titles_compare_by_letters_and_digits() -> None:
    assert title_key("  Résumé — Q3/2019: ") == title_key("RESUME (Q3 2019)") == "resume q3 2019"
