"""What ``without`` of a method switches off, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.agent_trees import TextOnly, context, question
from helpers.navigation import answer, harbour_tree, navigation_context, replan
from PIL import Image

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.artifacts.settings.modules import SEARCH, Module
from cosee.models.blocks import PageImage
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.config import Config, ConfigError, load_config, read_config

ABLATIONS = Path(__file__).resolve().parents[3] / "config" / "ablations.yaml"
NOTE = json.dumps({"action": "INSPECT", "content": "Page 2 counts people.", "view": {"page": 2}})


def config(*methods: object, **run: object) -> Config:
    return load_config({"datasets": ["d"], "runs": {"r": {"datasets": ["d"], "methods": list(methods), **run}}})


def test_an_ablation_is_named_after_what_it_lacks_and_changes_its_own_search_alone() -> None:
    # contract: D111
    made = config("cosee", {"strategy": "cosee", "without": ["dense", "tree"]})
    assert [method.label for method in made.runs["r"].methods] == ["cosee", "cosee-without-dense-tree"]
    whole = made.answer_settings("r", "cosee").retrieval
    off = made.answer_settings("r", "cosee-without-dense-tree").retrieval
    assert whole.channels == ["dense", "sparse"] and whole.sections and whole.weights.tree_prior == 0.1
    assert off.channels == ["sparse"] and not off.sections and not off.expansion and off.weights.tree_prior == 0
    assert off.weights.dense == whole.weights.dense and off.rerank


@pytest.mark.parametrize("module", sorted(SEARCH))
def test_every_module_of_the_search_changes_a_setting(module: Module) -> None:
    made = config({"strategy": "page_rag", "without": [module]})
    whole = made.runs["r"].retrieval
    assert made.answer_settings("r", f"page_rag-without-{module}").retrieval != whole


@pytest.mark.parametrize(
    ("method", "run", "said"),
    [
        ({"strategy": "navigator", "without": ["board"]}, {}, "navigator has no 'board' to switch off; it has bm25f"),
        ({"strategy": "constant", "without": ["dense"]}, {}, "it has none"),
        ({"strategy": "cosee", "without": ["boards"]}, {}, "without"),
        ({"strategy": "page_rag", "retrieval": "dense", "without": ["dense"]}, {}, "nothing is left to search with"),
        ({"strategy": "page_rag", "without": ["dense", "bm25f"]}, {}, "nothing is left to search with"),
        ({"strategy": "decision", "without": ["dense"]}, {"retrieval": {"channels": ["dense"]}}, "no channel"),
    ],
)
def test_what_cannot_be_switched_off_is_refused(method: object, run: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        config(method, **run)


def test_agents_without_a_board_do_not_read_it() -> None:
    client = TextOnly([NOTE], repeat_last=True)
    for without, seen in (((), True), (("board",), False)):
        client.received.clear()
        make_strategy(CoSeeMethod(max_steps=2)).answer(
            question("How many people?"), context(client, without=frozenset(without))
        )
        assert bool(client.received[-1][0].of("board")) == seen


def test_a_navigator_without_a_planner_reads_what_ranks_first_and_once(tmp_path: Path) -> None:
    client = TextOnly([replan("Not here.", "harbour dues"), answer("40 crowns", "t_13")])
    ctx = navigation_context(harbour_tree(), tmp_path, client, without=frozenset(["planner"]))
    row = make_strategy(NavigatorMethod(pages=2)).answer(question("What does mooring cost?"), ctx)
    assert [messages[-1].first("role").data["role"] for messages in client.received] == ["reasoner"]
    assert row.measures["replans"] == 0 and row.retrieved_pages and len(row.read_pages or []) == 2


def test_page_text_and_page_images_are_left_out_of_the_prompt() -> None:
    reply = json.dumps({"answer": "412", "confidence": "high", "explanation": "", "quotes": []})
    for without, text, images in ((set(), True, 2), ({"page_text"}, False, 2), ({"page_images"}, True, 0)):
        client = ScriptedClient([reply])
        ctx = context(
            client,
            pages=[2, 1],
            page_image=lambda page: PageImage(page, Image.new("RGB", (8, 8))),
            without=frozenset(without),
        )
        row = make_strategy(PageRagMethod(pages=2)).answer(question("How many people?"), ctx)
        (message,) = client.received[0]
        assert [bool(block.data["text"]) for block in message.of("page_text")] == [text, text]
        assert len(message.of("image")) == images and row.read_pages == [2, 1]


def test_the_ablation_config_switches_off_every_module() -> None:
    (run,) = read_config(ABLATIONS).runs.values()
    off = {module for method in run.methods for module in method.without}
    assert off == {*SEARCH, "board", "planner", "page_text", "page_images"}
    assert all(len(method.without) < 2 for method in run.methods), "one at a time"
