import json

import pytest
from helpers.agent_trees import TextOnly
from helpers.navigation import harbour_tree, memory_of, navigation_context
from PIL import Image

from cosee.agents.navigator.observers import observe
from cosee.agents.navigator.paths import Directive, reach
from cosee.agents.navigator.reasoner import evidence_blocks
from cosee.artifacts.results.trace import Budget, BudgetExceeded
from cosee.models.blocks import PageImage
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient

BOX = [0.1, 0.1, 0.9, 0.2]


def see(memory, *targets, text="How heavy is the salt?", nodes=50, images=4):
    reached = [each for target in targets for each in reach(memory.document, Directive(target=target))]
    return observe(memory, reached, text, nodes=nodes, images=images)


def observed(tmp_path, *targets, **fields):
    ctx = navigation_context(harbour_tree(), tmp_path, fields.pop("client", TextOnly([])))
    memory = memory_of(ctx)
    ids, faults = see(memory, *targets, **fields)
    return memory.observations, ids, faults


def test_text_is_observed_raw_and_a_section_by_a_short_gist(tmp_path):
    # contract: D90, D95, D96
    seen, ids, _ = observed(tmp_path, "sec_12")
    assert ids == ["sec_12", "t_13", "t_14"]
    assert seen["t_13"].as_record() == {
        "node_id": "t_13",
        "modality": "text",
        "payload": {
            "raw_text": "The mooring fee is 40 crowns a day.",
            "anchors": {"page_idx": 3, "bbox": BOX, "cell": None},
        },
    }
    gist = seen["sec_12"].payload["summary_gist"]
    assert gist == "The mooring fee is 40 crowns a day. Fees are paid in advance." and len(gist) <= 320
    assert seen["sec_12"].payload["title"] == "3 Fees"


def test_a_table_is_observed_as_text_with_its_columns_cells_and_the_cell_asked_for(tmp_path):
    # contract: D92, D94
    seen, ids, _ = observed(tmp_path, "tab_4", text="How heavy is the salt?")
    assert ids[:2] == ["tab_4", "t_5"]
    assert seen["tab_4"].modality == "table"
    assert dict(seen["tab_4"].payload) == {
        "caption": "Table 1: Cargo",
        "schema_brief": "Good; Weight (t)",
        "cells": [["Good", "Weight (t)"], ["Salt", "120"], ["Wool", "75"]],
        "rows": 3,
        "anchors": {"page_idx": 1, "bbox": BOX, "cell": [1, 0]},
    }
    assert seen["tab_4"].data["rows"][1] == ["Salt", "120"] and "Salt | 120" in seen["tab_4"].data["text"]


def test_every_observation_has_node_modality_and_payload(tmp_path):
    # contract: D93
    seen, ids, _ = observed(tmp_path, "P0", "P1", "P2", "P3")
    assert set(ids) == set(seen) and "t_11" not in seen, "hidden text is not observed"
    for node_id, observation in seen.items():
        record = observation.as_record()
        assert list(record) == ["node_id", "modality", "payload"] and record["node_id"] == node_id
        assert set(record["payload"]["anchors"]) == {"page_idx", "bbox", "cell"}
        json.dumps(record, allow_nan=False)
    assert {each.modality for each in seen.values()} == {"text", "table", "image"}


def test_figures_without_eyes_are_observed_by_caption_description_and_form(tmp_path):
    # contract: D94
    seen, _, _ = observed(tmp_path, "img_6")
    assert seen["img_6"].payload == {
        "caption": "Figure 1: Ships",
        "schema_brief": "bar chart",
        "description": "A bar chart of ships by month.",
        "text": "",
        "anchors": {"page_idx": 1, "bbox": BOX, "cell": None},
    }
    assert seen["img_6"].data["description"] == "Form: bar chart.\nA bar chart of ships by month."


class Batching(ScriptedClient):
    """Counts batches."""

    batches = 0

    def chat_many(self, batch, sampling=None):
        self.batches += 1
        return super().chat_many(batch, sampling)


def test_a_model_that_sees_is_shown_the_new_figures_in_one_batch(tmp_path):
    # contract: D91
    replies = [
        json.dumps({"chart_form": "line", "reading": "A ship\nat a quay </evidence>"}),
        json.dumps({"chart_form": "pie", "reading": "Bars; May has 31 ships."}),
    ]
    client = Batching(replies)
    asked: list[int] = []

    def page_image(page: int) -> PageImage:
        asked.append(page)
        return PageImage(page, Image.new("RGB", (200, 100), (page, 0, 0)))

    ctx = navigation_context(harbour_tree(), tmp_path, client, page_image=page_image)
    memory = memory_of(ctx)
    _, faults = see(memory, "img_6", "img_10", text="How many ships in May?")
    assert (client.batches, len(client.received), faults, asked) == (1, 2, [], [3, 2])
    assert {each.presence_penalty for each in client.samplings} == {0.0}, "its reply is JSON"
    first = client.received[0][0]
    assert [block.kind for block in first.blocks] == ["image", "node", "question", "instruction", "role", "instruction"]
    assert first.blocks[0].image.size == (164, 12) and first.blocks[0].data == {"page": 3}
    assert first.first("role").data["role"] == "image_observer"
    seen = memory.observations
    assert seen["img_10"].data["chart_form"] == "line", "the tree has no form of it"
    assert seen["img_6"].data["chart_form"] == "bar", "what was read from its paths stays"
    assert seen["img_6"].payload["seen"] == "Bars; May has 31 ships."
    text = "".join(block.text for block in evidence_blocks(memory, ["img_10"]))
    assert "Seen: A ship at a quay &lt;/evidence>" in text and text.count("</evidence>") == 1
    assert "Form: line chart." in text, "a form that the model alone names is told to the reasoner too"
    bars = "".join(block.text for block in evidence_blocks(memory, ["img_6"]))
    assert bars.count("Form: bar chart.") == 1 and "pie" not in bars
    see(memory, "img_6", "img_10")
    assert client.batches == 1, "no figure is shown twice"


def test_figures_beyond_the_bound_and_useless_replies_leave_what_is_known(tmp_path):
    # contract: D91
    def page_image(page: int) -> PageImage:
        return PageImage(page, Image.new("RGB", (200, 100)))

    client = Batching(["no"])
    ctx = navigation_context(harbour_tree(), tmp_path, client, page_image=page_image)
    memory = memory_of(ctx)
    _, faults = see(memory, "P1", "P2", images=1)
    assert len(client.received) == 1 and faults == ["img_10: no_json: the reply holds no JSON object"]
    assert "seen" not in memory.observations["img_6"].payload and "seen" not in memory.observations["img_10"].payload
    spent = navigation_context(
        harbour_tree(), tmp_path / "b", MeteredClient(client, Budget(calls=0)), page_image=page_image
    )
    memory = memory_of(spent)
    with pytest.raises(BudgetExceeded):
        see(memory, "P1")
    assert "tab_4" in memory.observations


def test_the_bound_on_nodes_holds(tmp_path):
    seen, ids, _ = observed(tmp_path, "P0", "P1", "P2", "P3", nodes=3)
    assert ids == ["sec_1", "t_2", "sec_3"] and list(seen) == ids
