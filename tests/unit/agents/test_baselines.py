"""Each baseline: what it reads, how often it asks, what it makes of the replies."""

from __future__ import annotations

import json

import pytest
from helpers.agent_trees import TextOnly, context, question, small_tree
from PIL import Image

from cosee import multi_agent_chat_no_board, self_consistency
from cosee.agents.baselines.functions import final_answer, majority
from cosee.agents.baselines.settings import ChatMethod, SelfConsistencyMethod
from cosee.agents.cosee.agent import Agent
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.chunk_rag import ChunkRagMethod
from cosee.agents.methods.direct import DirectMethod
from cosee.agents.methods.full_text import FullTextMethod
from cosee.agents.methods.oracle_pages import OraclePagesMethod
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.agents.methods.single_agent_cot import SingleAgentMethod
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.methods import GenerationSettings
from cosee.models.blocks import PageImage
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.stage import DocFolder
from cosee.reader.client import EmbeddedClient
from cosee.retrieval.retriever import Retriever
from cosee.stages.index import IndexStage


def reply(answer: object, **fields: object) -> str:
    return json.dumps({"answer": answer, **fields})


def shown_pages(client: ScriptedClient) -> list[int]:
    return [block.data["page"] for block in client.received[0][0].of("page_text", "node", "table")]


def answer(method, replies, text="How many people?", **fields):
    client = fields.pop("client", None) or TextOnly(replies)
    ctx = context(client, **fields)
    return make_strategy(method).answer(question(text), ctx), client, ctx


def test_direct_reads_the_document_in_its_order_as_far_as_whole_pages_fit():
    # contract: D113
    row, client, ctx = answer(DirectMethod(), [reply("412")], pages=[3, 1])
    assert shown_pages(client) == [1, 2, 3] and row.answer == "412"
    assert (row.retrieved_pages, [event.type for event in ctx.trace.events][:2]) == ([], ["start", "retrieval"])
    pages = [page.page_idx + 1 for page in small_tree().pages]
    client = ScriptedClient([reply("412")])
    client.max_context = 2_048 + 2_300
    picture = Image.new("1", (1024, 992))  # 992 tokens
    _, client, ctx = answer(DirectMethod(), [], client=client, page_image=lambda page: PageImage(page, picture))
    kinds = [block.kind for block in client.received[0][0].blocks]
    assert kinds[:4] == ["image", "page_text", "image", "page_text"] and shown_pages(client) == [1, 2]
    dropped = next(event.data["dropped_pages"] for event in ctx.trace.events if event.type == "status")
    assert dropped == [3] and "it ends here" in client.received[0][0].first("instruction").text and pages == [1, 2, 3]


def test_full_text_is_cut_within_a_page_and_says_so():
    # contract: D113
    whole, client, _ = answer(FullTextMethod(), [reply("412")])
    assert shown_pages(client) == [1, 2, 3] and whole.answer == "412"
    assert "it ends here" not in client.received[0][0].first("instruction").text
    client = TextOnly([reply("412")])
    client.max_context = 2_048 + 45
    row, client, ctx = answer(FullTextMethod(), [], client=client)
    block = client.received[0][0].first("page_text")
    assert [node["node_id"] for node in block.data["nodes"]] == ["sec_1", "t_2"] and "</evidence>" in block.text
    assert "it ends here" in client.received[0][0].first("instruction").text and row.answer == "412"
    assert not any(block.kind == "image" for block in client.received[0][0].blocks)
    small = FullTextMethod(context_tokens=1_024)
    assert small.context_tokens == 1_024 and answer(small, [reply("1")])[0].answer == "1"


def test_single_agent_reasons_in_one_request():
    # contract: C62
    text = "The second page is about people. It says 412."
    row, client, _ = answer(SingleAgentMethod(), [reply("412", reasoning=text, confidence=0.7)])
    assert len(client.received) == 1 and (row.answer, row.answer_long, row.confidence) == ("412", text, 0.7)
    assert "step by step" in client.received[0][0].first("instruction").text
    assert client.samplings[0].max_new_tokens == 1_024
    assert list(row.prompt_ids) == [ref for ref in row.prompt_ids if ref.startswith("baselines.step_by_step@")]
    # As it is sent, the reasoning is asked for, and before the answer.
    asked = json.loads(client.received[0][0].of("instruction")[-1].text.partition("\n")[2])
    fields = list(asked["properties"])
    assert fields.index("reasoning") < fields.index("answer") and {"reasoning", "answer"} <= set(asked["required"])
    metered = MeteredClient(TextOnly([reply("412", reasoning=text)]), Budget(calls=1))
    assert answer(SingleAgentMethod(), [], client=metered)[0].usage.calls == 1


def test_self_consistency_draws_n_samples_and_takes_their_majority():
    # contract: C63
    replies = [reply("Oslo"), reply("Bergen", quotes=[{"page": 3, "quote": "Oslo and Bergen"}]), reply("the Bergen.")]
    row, client, ctx = answer(SelfConsistencyMethod(), replies, text="Where is the office?")
    assert len(client.received) == 3 and {each.sample for each in client.samplings} == {0, 1, 2}
    assert all(each.temperature > 0 for each in client.samplings)
    assert (row.answer, row.confidence, row.status) == ("Bergen", pytest.approx(2 / 3, abs=1e-6), "ok")
    assert row.support[0].page == 3 and row.measures == {"agreement": pytest.approx(2 / 3, abs=1e-6), "samples": 3.0}
    assert next(event for event in ctx.trace.events if event.type == "decision").data["agreeing"] == 2
    five, client, _ = answer(
        SelfConsistencyMethod(samples=5, generation=GenerationSettings(temperature=0.3)), [reply("Oslo")] * 5
    )
    assert len(client.received) == 5 and client.samplings[0].temperature == 0.3 and five.confidence == 1.0


def test_self_consistency_answers_with_the_samples_that_it_has():
    # contract: C63, C54
    client = MeteredClient(TextOnly([reply("412")] * 2), Budget(calls=2))
    row, _, _ = answer(SelfConsistencyMethod(), [], client=client)
    assert (row.answer, row.status, row.reason, row.exit_reason) == ("412", "partial", "budget", "budget")
    assert row.confidence == pytest.approx(2 / 3, abs=1e-6) and row.usage.calls == 2
    bad, _, _ = answer(SelfConsistencyMethod(samples=2), [reply("412"), "no", "no", "no", "no"])
    assert (bad.answer, bad.status, bad.reason) == ("412", "partial", "no_valid_output")


def test_chat_has_the_conversation_as_its_only_memory():
    # contract: C64
    said = [json.dumps({"message": f"Message {number}."}) for number in range(1, 6)]
    last = json.dumps({"message": "Page 2 says it.", "answer": 412, "quotes": [{"page": 2, "quote": "412 people"}]})
    row, client, ctx = answer(ChatMethod(), [*said, last])
    assert [messages[0].first("role").data["role"] for messages in client.received] == [
        "scanner", "detail_reader", "cross_checker",
    ] * 2  # fmt: skip
    assert not any(messages[0].first("board") for messages in client.received)
    assert client.received[0][0].first("history") is None
    assert client.received[5][0].first("history").text == "Conversation so far:\n" + "\n".join(
        f"{role}: Message {number}."
        for number, role in enumerate(["scanner", "detail_reader", "cross_checker", "scanner", "detail_reader"], 1)
    )
    assert (row.answer, row.exit_reason, row.measures["messages"]) == ("412", "max_turns", 6)
    assert row.support[0].page == 2 and row.support[0].quote_verified
    one, client, _ = answer(ChatMethod(max_turns=1, agents=["detail_reader"]), [last])
    assert len(client.received) == 1 and one.answer == "412"


def test_chat_without_a_last_answer_takes_the_majority_and_without_any_abstains():
    # contract: C64
    said = [{"message": "a", "answer": "3"}, {"message": "b", "answer": "412"}, {"message": "c", "answer": "412."},
            {"message": "d"}]  # fmt: skip
    method = ChatMethod(max_turns=2, agents=["detail_reader", "cross_checker"])
    row, _, _ = answer(method, [json.dumps(each) for each in said])
    assert row.answer == "412" and row.measures["agreement"] == pytest.approx(2 / 3, abs=1e-6)
    silent, _, _ = answer(ChatMethod(max_turns=1, agents=["scanner"]), [json.dumps({"message": "Nothing."})])
    assert (silent.answer, silent.abstained, silent.status) == ("Not answerable", True, "ok")


def test_page_rag_searches_by_the_channel_that_it_is_told():
    # contract: D112
    asked: list[object] = []
    ctx = context(TextOnly([reply("1")] * 3))
    search = ctx.retriever.search

    def watch(text: str, **options: object):
        asked.append(options.get("channels"))
        return search(text, **options)

    ctx.retriever.search = watch  # type: ignore[method-assign]
    for retrieval in ("fused", "sparse", "dense"):
        make_strategy(PageRagMethod(retrieval=retrieval)).answer(question("What?"), ctx)
    assert asked == [None, ("sparse",), ("dense",)]


def test_chunk_rag_reads_chunks_and_tables_and_nothing_else(tmp_path):
    # contract: D112
    tree = small_tree()
    tree.save(tmp_path / "doctree.mm.json")
    IndexStage().run(DocFolder("d", tree.doc_id, tmp_path, tmp_path / "index"), IndexSettings(embedder="none"))
    retriever = Retriever.load(tree, tmp_path / "index", RetrievalSettings())
    text = "What was the revenue in 2022?"
    row, client, ctx = answer(ChunkRagMethod(chunks=2), [reply("$2.9 million")], text, tree=tree, retriever=retriever)
    kinds = [block.kind for block in client.received[0][0].blocks]
    assert sorted(kinds[:2]) == ["node", "table"] and kinds[2:] == ["question", "instruction", "instruction"]
    table = client.received[0][0].first("table")
    assert table.data["node_id"] == "tab_3" and ["2022", "$2.9 million"] in table.data["rows"]
    assert row.retrieved_pages == [1] and {hit.node_id for hit in row.retrieved} == {"tab_3", "t_2"}
    chunks = next(event for event in ctx.trace.events if event.type == "retrieval").data["chunks"]
    assert chunks[0]["score"] == 1.0 and all(chunk["page"] == 1 for chunk in chunks)
    offline = EmbeddedClient()
    # Out of the table, row 2022; a cell is given without its currency sign.
    assert (
        answer(ChunkRagMethod(), [], text, tree=tree, retriever=retriever, client=offline)[0].answer == "$2.9 million"
    )


def test_a_long_leaf_is_read_by_the_chunk(tmp_path):
    # contract: D112, D46
    tree = small_tree()
    long = (
        " ".join(f"Sentence number {number} is about weather." for number in range(200))
        + " The harbour opened in 1911."
    )
    nodes = [node.model_copy(update={"text": long}) if node.id == "t_5" else node for node in tree.nodes]
    tree = tree.model_copy(update={"nodes": nodes})
    tree.save(tmp_path / "doctree.mm.json")
    IndexStage().run(DocFolder("d", tree.doc_id, tmp_path, tmp_path / "index"), IndexSettings(embedder="none"))
    retriever = Retriever.load(tree, tmp_path / "index", RetrievalSettings())
    _, client, _ = answer(
        ChunkRagMethod(chunks=1), [reply("1911")], "When did the harbour open?", tree=tree, retriever=retriever
    )
    text = client.received[0][0].first("node").data["text"]
    assert "1911" in text and len(text) < len(long) / 2


def test_oracle_is_given_the_gold_pages_and_flagged():
    # contract: D112
    asked = question("How many people?").model_copy(update={"evidence_pages": [2, 9]})
    client = TextOnly([reply("412"), reply("1")])
    ctx = context(client, pages=[1, 3])
    row = make_strategy(OraclePagesMethod()).answer(asked, ctx)
    assert shown_pages(client) == [2] and row.uses_gold and row.retrieved_pages == [2]
    without = make_strategy(OraclePagesMethod()).answer(question("What?"), ctx)
    assert without.uses_gold and without.retrieved_pages == [1, 3]
    assert not answer(PageRagMethod(), [reply("1")])[0].uses_gold


@pytest.mark.parametrize(
    "method",
    [
        DirectMethod(),
        FullTextMethod(),
        PageRagMethod(),
        SingleAgentMethod(),
        SelfConsistencyMethod(),
        ChatMethod(),
        CoSeeMethod(),
        OraclePagesMethod(),
    ],
    ids=lambda method: method.strategy,
)
def test_the_reader_without_a_model_answers_in_every_form(method):
    # contract: C47
    client = EmbeddedClient()
    text = "How many people did the company employ at the end of 2023?"
    rows = [answer(method, [], text, client=client)[0] for _ in range(2)]
    assert rows[0] == rows[1] and rows[0].answer == "412"
    assert rows[0].support[0].page == 2 and rows[0].support[0].quote_verified
    assert answer(method, [], "What was the dividend per share in 2019?", client=client)[0].abstained


class Talks:
    """Has the public wrapper's ``generate`` and nothing else."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.calls = list(replies), []

    def generate(self, images, question, board_text=None, role_prompt=None, **gen_kwargs) -> str:
        self.calls.append({"board": board_text, "role": role_prompt, **gen_kwargs})
        return self.replies.pop(0)


def test_the_function_self_consistency_makes_n_calls():
    # contract: C63
    client = Talks("So:\nAnswer: Oslo", "Answer: Bergen", "... Answer: no\nAnswer: bergen", "Answer: Oslo", "Bergen")
    assert self_consistency(client, [], "Where?", num_samples=5) == "Bergen"
    assert [call["sample"] for call in client.calls] == [0, 1, 2, 3, 4]
    assert all(call["temperature"] > 0 and call["max_new_tokens"] == 128 for call in client.calls)
    one = Talks("Answer: Oslo")
    assert self_consistency(one, [], "Where?", 1, 9, {"temperature": 0.2}) == "Oslo"
    assert one.calls[0]["temperature"] == 0.2 and one.calls[0]["max_new_tokens"] == 9
    with pytest.raises(ValueError, match="num_samples"):
        self_consistency(Talks(), [], "Where?", num_samples=0)


def test_the_function_of_the_chat_keeps_a_text_history_and_its_turns():
    # contract: C64
    client = Talks("I look.", "It is 3.\nAnswer: 3", "Rather 412.\nAnswer: 412", "I agree.")
    agents = [Agent("one", "You look.", client), Agent("two", "You check.", client)]
    assert multi_agent_chat_no_board(agents, [], "How many?", max_turns=2) == "412"
    assert len(client.calls) == 4 and not any(call["board"] for call in client.calls)
    assert "Conversation" not in client.calls[0]["role"] and client.calls[0]["role"].startswith("You look.")
    assert "one: I look.\ntwo: It is 3. Answer: 3\none: Rather 412." in client.calls[3]["role"]
    assert multi_agent_chat_no_board(agents, [], "How many?", max_turns=0) == "Not answerable"
    with pytest.raises(ValueError, match="no client"):
        multi_agent_chat_no_board([Agent("x", "y", None)], [], "q", 1)


def test_majority_and_the_last_marked_line():
    # contract: C63
    assert majority(["a", "b", "B."]) == 1 and majority(["a", "b"]) == 0 and majority(["a"]) == 0
    assert final_answer("Where?", "Answer: Rome\nno, wait\n**Answer: Oslo**") == "Oslo"
    assert final_answer("Where?", "") == "Not answerable"


def test_a_box_of_a_model_that_sees_no_pictures_is_no_evidence():
    said = {"explanation": "So.", "quotes": [{"page": 2, "quote": "nowhere", "bbox": [0.1, 0.1, 0.9, 0.9]}]}
    client = TextOnly([json.dumps({**said, "answer": "7", "confidence": 0.8})])
    row = make_strategy(PageRagMethod()).answer(question("How many?"), context(client))
    assert (row.answer, row.support, row.confidence) == ("7", [], 0.4)
