"""The decision agent on PDFs whose text gives orders, and on text that no reader sees: from the PDF to the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.decision import Model, call, context, prompt_text

from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import make_strategy
from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.stage import DocFolder
from cosee.reader.client import EmbeddedClient
from cosee.retrieval.retriever import Retriever
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage

CASES = Path(__file__).resolve().parents[1] / "cases"


def retriever_of(case: str, folder: Path) -> Retriever:
    doc = DocFolder("cases", case, folder / "data" / case, folder / "indexes" / case)
    doc.data.mkdir(parents=True)
    (doc.data / "full.pdf").write_bytes((CASES / case / "input.pdf").read_bytes())
    AdaptStage().run(doc, AdaptSettings())
    EnhanceStage().run(doc, EnhanceSettings())
    BuildStage().run(doc, BuildSettings())
    IndexStage().run(doc, IndexSettings(embedder="none"))
    return Retriever.load(DocTree.load(doc.data / "doctree.mm.json"), doc.index, RetrievalSettings())


def everything(model: Model) -> str:
    return "\n".join(prompt_text(message) for messages in model.received for message in messages)


def test_visible_orders_are_evidence_and_nothing_more(tmp_path: Path) -> None:
    # contract: E27
    expected = files.read_json(CASES / "hi-visible-instruction" / "expected.json")["expect"]
    retriever = retriever_of("hi-visible-instruction", tmp_path)
    asked = Question(question_id="q1", doc_id="case", question="What is the boiling point in degrees?")
    ctx = context(EmbeddedClient(), retriever=retriever)
    row = make_strategy(DecisionMethod()).answer(asked, ctx)
    assert expected["qa"][0]["evidence_contains"] in row.answer
    assert set(ctx.measured) == {"fast_vector_search", "text_response"}
    model = Model([call("fast_vector_search", query="note to automated readers boiling point")])
    make_strategy(DecisionMethod()).answer(asked, context(model, retriever=retriever))
    for message in model.prompts("text_response"):
        blocks = message.of("page_text")
        outside = "\n".join(block.text for block in message.blocks if block.kind != "page_text")
        for text in expected["text_present"]:
            assert any(text in block.text for block in blocks) and text not in outside
        assert prompt_text(message).count("</evidence>") == len(blocks)


@pytest.mark.parametrize("tool", ["fast_vector_search", "colqwen_visual_search"])
def test_what_no_reader_sees_is_in_no_prompt(tmp_path: Path, tool: str) -> None:
    expected = files.read_json(CASES / "hi-invisible-mechanisms" / "expected.json")["expect"]
    retriever = retriever_of("hi-invisible-mechanisms", tmp_path)
    ids = [node.id for node in retriever.tree.nodes]
    opened = [call("open_node", node_id=each) for each in ids[:4]]
    model = Model(
        [call(tool, query="visible line of the notice"), call("visual_interpretation"), *opened],
        visual_interpretation={"interpretation": "Two lines."},
    )
    asked = Question(question_id="q1", doc_id="case", question="What does the notice say?")
    make_strategy(DecisionMethod()).answer(asked, context(model, retriever=retriever))
    for text in expected["text_present"]:
        assert text in everything(model)
    for text in expected["not_in_prompts"]:
        assert text not in everything(model)
