"""The cases ``ag-*``: each key of their ``expected.json`` on the real client, encoder, finishing and strategies."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from helpers.agent_trees import FixedRetriever, TextOnly, context, question, small_tree
from PIL import Image

from cosee.agents.baselines.settings import ChatMethod, SelfConsistencyMethod
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.evidence import Evidence
from cosee.agents.finish import Outcome, finish
from cosee.agents.method import make_strategy
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.agents.methods.single_agent_cot import SingleAgentMethod
from cosee.agents.reading import read_pages
from cosee.artifacts.documents.content import Region
from cosee.models.blocks import PageImage
from cosee.models.boxes import unit_box
from cosee.models.calls import Sampling
from cosee.models.local.qwen_vl_encoding import QwenVLEncoder, _padded_size
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.messages import picture_message
from cosee.models.scripted import ScriptedClient
from cosee.retrieval.ranking import Ranking

CASES = Path(__file__).resolve().parents[2] / "cases"


def case(name: str, *files: str) -> tuple[dict[str, Any], list[Any]]:
    folder = CASES / name
    return json.loads((folder / "expected.json").read_text())["expect"], [
        json.loads((folder / file).read_text()) for file in files
    ]


METHODS = [
    PageRagMethod(), SingleAgentMethod(), SelfConsistencyMethod(), ChatMethod(), CoSeeMethod(),
    CoSeeMethod(order="parallel"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.label}-{getattr(method, 'order', '')}")
def test_never_valid(method) -> None:
    # contract: C33, C34
    expect, (script, questions) = case("ag-never-valid", "fake_vlm.json", "qa.json")
    assert script["repeat"] == "last" and set(expect) == {
        "max_calls_per_step", "run_finishes", "q_status", "other_questions_unaffected", "final_answer_policy",
        "max_seconds",
    }  # fmt: skip
    first, second = (question(each["question"], each["qid"]) for each in questions)
    client = TextOnly(script["replies"], repeat_last=True)
    started = time.monotonic()
    row = make_strategy(method).answer(first, context(client))
    asked = {
        "page_rag": 1, "single_agent_cot": 1, "self_consistency": 3, "multi_agent_chat_no_board": 6, "cosee": 6,
    }[method.strategy]  # fmt: skip
    assert len(client.received) == expect["max_calls_per_step"] * asked
    assert row.status == expect["q_status"] and row.answer == "" and row.reason == "no_valid_output"
    good = {"action": "HYPOTHESIZE", "content": "c", "message": "m", "answer": "412", "confidence": 0.9}

    def reply(messages: Any) -> str:
        return json.dumps(good) if messages[0].first("question").data["question"] == second.question else "{"

    rows = [make_strategy(method).answer(each, context(TextOnly(reply))) for each in (first, second)]
    assert [each.status for each in rows] == ["failed", "ok"] and rows[1].answer == "412"
    assert time.monotonic() - started < expect["max_seconds"]


def test_padding_batch(tmp_path: Path) -> None:
    # contract: C51
    expect, (texts,) = case("ag-padding-batch", "prompts.json")
    client = QwenVLClient(str(build_tiny_qwen3vl(tmp_path)), prefix_gib=0)
    client.generator._end_tokens = frozenset()
    sampling = Sampling(temperature=0, max_new_tokens=6)
    prompts = [client._encode([picture_message([], text)]) for text in texts]
    masks: list[list[list[int]]] = []
    forward = client.generator._forward

    def watch(cache: Any, ids: Any, positions: Any, mask: Any, pictures: Any = ()) -> Any:
        if mask is not None:
            masks.append(mask.tolist())
        return forward(cache, ids, positions, mask, pictures)

    client.generator._forward = watch  # type: ignore[method-assign]
    *_, (rows, _) = client.generator.steps(prompts, [sampling] * len(prompts))
    together = [row.text for row in rows]
    longest = max(len(prompt) for prompt in prompts)
    for prompt, mask in zip(prompts, masks[0], strict=True):
        missing = longest - len(prompt)
        side = "left" if mask == [0] * missing + [1] * (len(prompt) + 1) else "right"
        assert side == expect["padding_side"]
    alone = [client.chat([picture_message([], text)], sampling).text for text in texts]
    assert (together == alone) is expect["single_equals_batched"] and len(set(alone)) == len(texts)
    assert ([client.generator._decode(row.tokens) for row in rows] == together) is expect["only_new_tokens_decoded"]
    assert all(len(row.tokens) == 6 for row in rows)
    many = [reply.text for reply in client.chat_many([[picture_message([], text)] for text in texts[::-1]], sampling)]
    assert (many == alone[::-1]) is expect["order_preserved"]


def test_token_budget() -> None:
    expect, (images, budget) = case("ag-token-budget", "images.json", "budget.json")
    from transformers import Qwen2VLImageProcessorPil

    image_processor = Qwen2VLImageProcessorPil(
        patch_size=14, merge_size=2, size={"shortest_edge": 4 * 28 * 28, "longest_edge": 1280 * 28 * 28}
    )
    tokenizer = SimpleNamespace(convert_tokens_to_ids=lambda token: 0)
    encoder = QwenVLEncoder(
        SimpleNamespace(image_token="<image>", tokenizer=tokenizer, image_processor=image_processor)
    )
    sizes = [(image["w"], image["h"]) for image in images]
    refused = [number for number, size in enumerate(sizes) if _padded_size(*size) != size]
    assert refused == expect["rejected_aspect"]
    for number, (size, wanted) in enumerate(zip(sizes, expect["resized"], strict=True)):
        if number in refused:
            assert wanted is None
            continue
        assert encoder._token_count(*size) == wanted["tokens"]
        assert wanted["w"] * wanted["h"] == wanted["tokens"] * 28 * 28

    class Qwen(ScriptedClient):
        box_grid = QwenVLClient.box_grid
        max_context = budget["max_model_len"]

        def tokenize_prompt_length(self, messages: Any) -> int:
            shown = [block.image.size for message in messages for block in message.blocks if block.image is not None]
            return int(budget["text_tokens"]) + sum(encoder._token_count(*size) for size in shown)

    ranked = [page["page"] for page in budget["ranked_pages"]]
    picture = Image.new("1", (budget["ranked_pages"][0]["w"], budget["ranked_pages"][0]["h"]))
    client = Qwen([])
    tree = small_tree()
    tree = tree.model_copy(
        update={"pages": [tree.pages[0].model_copy(update={"page_idx": page - 1}) for page in ranked]}
    )
    ctx = context(client, tree=tree, retriever=FixedRetriever(ranked), page_image=lambda page: PageImage(page, picture))
    read = read_pages(question("What?"), ctx, len(ranked), reserve=budget["reserve_output"])
    assert list(read.pages) == expect["pages_sent"] and len(read.images) <= budget["server_image_limit"]
    assert ([image.page for image in read.images] == list(read.pages)) is expect["order_of_pages_kept"]
    total = client.tokenize_prompt_length([picture_message(list(read.images), "What?")])
    assert total <= expect["total_tokens_max"]
    dropped = next(event.data["dropped_pages"] for event in ctx.trace.events if event.type == "status")
    assert (sorted([*read.pages, *dropped]) == ranked) is expect["dropped_pages_in_trace"]
    width, height = expect["bbox_mapped_back"]["image"]
    assert expect["bbox_mapped_back"]["resized_from_config"] and encoder._token_count(width, height) == 36 * 25
    left, top, right, bottom = unit_box([100, 200, 500, 1000], client.box_grid) or (0, 0, 0, 0)
    assert (left * width, top * height, right * width, bottom * height) == (100, 140, 500, 700)


def unknown_ids() -> list[object]:
    lines = (CASES / "ag-unknown-ids" / "outputs.jsonl").read_text().splitlines()
    return [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in lines]


@pytest.mark.parametrize("output", unknown_ids())
def test_unknown_ids(output: dict[str, str]) -> None:
    # contract: C27
    expect, (ids,) = case("ag-unknown-ids", "nodes.json")
    assert expect["never_raises"]
    tree = small_tree()
    region = [Region(page_idx=0, bbox=(0, 0, 1, 1))]
    nodes = [tree.node("t_2").model_copy(update={"id": name, "regions": region}) for name in ids]
    tree = tree.model_copy(update={"nodes": [tree.root, *nodes]})
    reply, wanted = json.loads(output["raw"]), expect["items"][output["id"]]
    ctx = context(ScriptedClient([]), tree=tree)
    outcome = Outcome(
        reply["answer"],
        "answered",
        confidence=reply["confidence"],
        evidence=[Evidence(name) for name in reply["support_nodes"]],
    )
    row = finish(question("x?"), ctx, "m", outcome, Ranking())
    found = [piece.node_id for piece in row.support]
    assert found == wanted.get("support_nodes", found)
    assert found in wanted.get("support_nodes_in", [found])
    assert row.answer == wanted.get("answer", reply["answer"])
    assert not set(wanted.get("dropped", [])) & set(found)
    assert ctx.trace.events[-1].data["dropped_evidence"] >= len(wanted.get("dropped", []))
    lowered = wanted.get("confidence_lowered") or wanted.get("action") == "replan_or_unsupported"
    assert not lowered or row.confidence < reply["confidence"]
