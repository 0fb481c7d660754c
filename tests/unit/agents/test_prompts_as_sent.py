"""Every prompt of every method as a model that follows us is sent it: its ids, its captions, its page numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.decision import call, context, index_of
from helpers.hostile_agents import methods
from helpers.index_trees import TreeBuilder, report_tree
from PIL import Image

from cosee.agents.method import make_strategy
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.models.blocks import Block, Message, PageImage
from cosee.models.reply_schema import asked_schema
from cosee.models.scripted import ScriptedClient
from cosee.retrieval.retriever import Retriever

EVIDENCE = ("page_text", "node", "table")
QUESTIONS = (
    "How accurate is the Heron model in Table 2, and how did accuracy develop over the years in Figure 3?",
    "What share of the accuracy is shown, and who works on the pumps of the Egret?",
)
PLACES = ["page_4", "page_5", "img_9", "tab_12", "sec_11"]
TOOLS = (
    call("fast_vector_search", query="accuracy of the Heron"),
    call("colqwen_visual_search", query="accuracy over time"),
    call("visual_interpretation"),
    call("zoom", page=4, bbox=[100, 100, 500, 500]),
    call("list_figures", kind="any"),
    call("text_response", should_end=True),
)


class Follower(ScriptedClient):
    """Replies to each typed request with what its schema asks for, naming places that are in the document."""

    box_grid = 1000.0

    def __init__(self) -> None:
        super().__init__(["unused"])
        self.sees_images = True
        self.decisions = 0

    def chat_many(self, batch, sampling=None):
        return [self.reply(messages, {"chart_form": "line", "reading": "It rises.", "zoom": [0, 0, 500, 500]})
                for messages in batch]  # fmt: skip

    def chat_typed(self, messages, schema, sampling=None):
        if schema.__name__ == "Decision":
            self.decisions += 1
            return self.reply(messages, TOOLS[(self.decisions - 1) % len(TOOLS)])
        asked = asked_schema(schema, self.asked_grid)
        return self.reply(messages, filled(asked["anyOf"][0] if "anyOf" in asked else asked))

    def reply(self, messages: Sequence[Message], value: Any):
        self.replies, self.repeat_last = [json.dumps(value)], True
        return super().chat(messages)


def filled(schema: Any, name: str = "") -> Any:
    """A value of a schema."""
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], name)
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {key: filled(part, key) for key, part in schema["properties"].items()}
        case "array" if name in ("bbox", "zoom"):
            return [100, 100, 500, 500]
        case "array" if name == "sub_questions":
            return list(QUESTIONS)
        case "array":
            return [filled(schema["items"], name)]
        case "integer" | "number":
            return 4 if name == "page" else 0.3 if name == "confidence" else 1
        case "boolean":
            return name == "zoom"
    return {"target": "sec_11", "candidates": "page_4", "support_nodes": "img_9", "node_id": "img_9",
            "action": "ANSWER"}.get(name, "Heron 88.1")  # fmt: skip


def wide_tree() -> DocTree:
    """The report, and pages with figures of one section."""
    build = TreeBuilder(12, ["i", "ii", *map(str, range(1, 11))])
    build.section("sec_0", "Charts of the pumps")
    for page in range(12):
        caption = f"Figure {page + 1}: Accuracy of pump number {page + 1} over the years"
        build.leaf(f"t_{10 * page + 1}", f"The accuracy of pump {page + 1} rises, as Figure {page + 1} shows.", page)
        build.image(f"img_{10 * page + 2}", caption, page, label=f"Figure {page + 1}", kind="statistical",
                    chart_form="unknown", caption_ids=[f"t_{10 * page + 3}"])  # fmt: skip
        build.leaf(f"t_{10 * page + 3}", caption, page, "caption", label=f"Figure {page + 1}",
                   caption_of=f"img_{10 * page + 2}")  # fmt: skip
    return build.build()


def retrievers() -> dict[str, Retriever]:
    return {"report": index_of(report_tree()), "wide": index_of(wide_tree())}


@pytest.fixture(scope="module")
def sent() -> list[tuple[str, DocTree, Message]]:
    """(method, tree, message) of every request."""
    found: list[tuple[str, DocTree, Message]] = []
    for retriever in retrievers().values():
        for method in methods():
            for text in QUESTIONS:
                model = Follower()
                ctx = context(
                    model, retriever=retriever,
                    page_image=lambda page: PageImage(page, Image.new("RGB", (64, 64), "white"), f"{page}.png"),
                )  # fmt: skip
                asked = Question(question_id="q", doc_id="d", question=text, evidence_pages=[4, 5])
                make_strategy(method).answer(asked, ctx)
                found += [(method.label, retriever.tree, messages[0]) for messages in model.received]
    return found


def ids_in(tree: DocTree, blocks: Sequence[Block]) -> set[str]:
    """Ids of the tree's own kind in a text, whether they exist or not, and internal ids of pages."""
    words = re.findall(r"(?<![\w-])(?:(?:t|sec|img|tab|eq)_\d+|P\d+)(?!\w)", "\n".join(each.text for each in blocks))
    return set(words)


def test_no_id_is_in_a_prompt_that_is_not_in_its_evidence(sent: list[tuple[str, DocTree, Message]]) -> None:
    assert len({method for method, _, _ in sent}) >= 12 and len(sent) > 100
    for method, tree, message in sent:
        evidence = ids_in(tree, message.of(*EVIDENCE))
        assert evidence <= set(tree.by_id), (method, "an id that the document does not have, as of a page from 0")
        said = ids_in(tree, [block for block in message.blocks if block.kind not in (*EVIDENCE, "history")])
        assert said <= evidence, (method, said - evidence)
        # What was visited, and what a tool's error lists, is of the document.
        assert ids_in(tree, message.of("history")) <= set(tree.by_id), method


def test_a_caption_stands_once_in_a_prompt(sent: list[tuple[str, DocTree, Message]]) -> None:
    repeated: Counter[tuple[str, str, str]] = Counter()
    for method, tree, message in sent:
        text = "\n".join(block.text for block in message.of(*EVIDENCE))
        role = message.first("role")
        told = [block.data["prompt_id"] for block in message.of("instruction")]
        for caption in {node.title for node in tree.of_type("image", "table") if node.title}:
            if text.count(caption) > 1:
                repeated[method, str(role.data["role"] if role else told), caption] += 1
    assert not repeated


def test_pages_are_numbered_one_way(sent: list[tuple[str, DocTree, Message]]) -> None:
    for method, tree, message in sent:
        for block in (each for each in message.of(*EVIDENCE) if each.text):
            page = block.data["page"]
            assert f'<evidence page="{page}"' in block.text and 1 <= page <= len(tree.pages), method
            label = tree.pages[page - 1].page_label
            printed = re.findall(r'printed="([^"]*)"', block.text)
            assert printed in ([], [label]) and label != str(page) or not printed, (
                method,
                "named once, where it differs",
            )
