"""Which pages a method reads: those found and named, and every page for a count."""

from types import SimpleNamespace

from helpers.agent_trees import small_tree

from cosee.agents.reading import read_pages
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import Trace
from cosee.models.base import VLMClient
from cosee.reader.embedded import EmbeddedClient
from cosee.retrieval.ranking import Ranking


class Pages:
    """A retriever with one ranking of pages."""

    def __init__(self, pages: list[int]) -> None:
        self.pages, self.asked = pages, []

    def search(self, text: str, *, question_id: str | None = None, channels: object = None) -> Ranking:
        self.asked.append(text)
        return Ranking([], self.pages, [1.0 / (place + 1) for place in range(len(self.pages))])


def read(question: str, retriever: Pages, limit: int | None) -> list[int]:
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
    assert EmbeddedClient.default_pages > VLMClient.default_pages


def test_a_count_over_the_document_reads_every_page():
    every = [page.page_idx + 1 for page in small_tree().pages]
    assert sorted(read("How many tables does the report contain?", Pages([2]), 1)) == every
    assert read("How many tables are on page 2?", Pages([2]), 1) == [2]
    assert read("How many tables are on page 900?", Pages([2]), 1) == [2]


def test_a_page_that_is_named_is_read():
    assert set(read("What stands on page 3?", Pages([2]), 1)) == {2, 3}
