"""Which pages a method reads: those found and named, and every page for a count."""

from collections.abc import Sequence
from types import SimpleNamespace

from helpers.agent_trees import small_tree

from cosee.agents.reading import PageLimit, read_pages
from cosee.agents.thresholds import PAGES_WITHOUT_CHANCES
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import Trace
from cosee.models.base import VLMClient
from cosee.reader.client import EmbeddedClient
from cosee.retrieval.page_chances import chances, enough
from cosee.retrieval.page_weights import PageWeights
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.thresholds import MOST_PAGES


class Pages:
    """A retriever with one ranking of pages."""

    def __init__(self, pages: list[int], chances: Sequence[float] = ()) -> None:
        self.pages, self.asked, self.chances = pages, [], list(chances)

    def search(self, text: str, *, question_id: str | None = None, channels: object = None) -> Ranking:
        self.asked.append(text)
        scores = [1.0 / (place + 1) for place in range(len(self.pages))]
        return Ranking([], self.pages, scores, page_chances=self.chances)


def read(question: str, retriever: Pages, limit: PageLimit) -> list[int]:
    client = EmbeddedClient()
    client.default_pages = 2
    context = SimpleNamespace(
        tree=small_tree(), retriever=retriever, client=client, trace=Trace(), page_image=None, without=()
    )
    asked = Question(question_id="q", doc_id="d", question=question, answer="1")
    return list(read_pages(asked, context, limit).pages)


def test_a_question_is_searched_once():
    question = "What is the current ratio in FY2021? Round your answer to two decimal places."
    retriever = Pages([2, 1])
    assert read(question, retriever, 2) == [2, 1] and retriever.asked == [question]


def test_a_client_says_how_many_pages_it_is_given_where_the_method_does_not():
    retriever = Pages([2, 1, 3])
    assert read("Who is the chair?", retriever, None) == [2, 1]
    assert read("Who is the chair?", retriever, 1) == [2]
    assert EmbeddedClient.default_pages == 10 and VLMClient.default_pages == "auto"


def test_auto_reads_the_pages_that_are_likely_to_be_needed():
    question = "Who is the chair?"
    assert read(question, Pages([2, 1, 3], [0.9, 0.2, 0.01]), "auto") == [2, 1]
    assert read(question, Pages([2, 1, 3], [0.9, 0.01, 0.2]), "auto") == [2, 1, 3], (
        "none is left out before a likely one"
    )
    assert read(question, Pages([2, 1, 3], [0.01, 0.01, 0.01]), "auto") == [2], "one at least"
    assert read(question, Pages([2, 1, 3]), "auto") == [2, 1, 3][:PAGES_WITHOUT_CHANCES], "a ranking without chances"
    assert (
        read(question, Pages([]), "auto") == [page.page_idx + 1 for page in small_tree().pages][:PAGES_WITHOUT_CHANCES]
    )


def test_auto_gives_more_pages_the_less_the_first_stands_out():
    sure, unsure = (chances(shares, [], PageWeights()) for shares in ([0.96, 0.01, 0.01, 0.01, 0.01], [0.2] * 5))
    assert enough(sure) < enough(unsure) <= MOST_PAGES
    assert enough([0.5] * 40) == MOST_PAGES and enough([]) == 0


def test_a_count_over_the_document_reads_every_page():
    every = [page.page_idx + 1 for page in small_tree().pages]
    assert sorted(read("How many tables does the report contain?", Pages([2]), 1)) == every
    assert read("How many tables are on page 2?", Pages([2]), 1) == [2]
    assert read("How many tables are on page 900?", Pages([2]), 1) == [2]


def test_a_page_that_is_named_is_read():
    assert set(read("What stands on page 3?", Pages([2]), 1)) == {2, 3}
