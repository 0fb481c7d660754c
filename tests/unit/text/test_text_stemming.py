from concurrent.futures import ThreadPoolExecutor

from cosee.text.content_words import label_terms, terms
from cosee.text.stemming import stem
from cosee.text.tokens import analyze


def test_index_and_reader_share_their_stems() -> None:
    words = ["policies", "generously", "operating", "company's", "news"]
    assert [stem(word) for word in words] == ["polici", "generous", "oper", "compani", "news"]
    assert list(terms("policies operating")) == analyze("policies operating") == label_terms("policies operating")


def test_what_is_no_plain_word_stays() -> None:
    assert [stem(word) for word in ("is", "fy2019s", "größen", "报告", "3.5")] == [
        "is",
        "fy2019s",
        "größen",
        "报告",
        "3.5",
    ]


def test_threads_do_not_mix_their_words() -> None:
    words = [f"{'ab' * (number % 7)}running{'x' * (number % 5)}s" for number in range(400)]
    alone = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(stem.__wrapped__, words)) == alone
