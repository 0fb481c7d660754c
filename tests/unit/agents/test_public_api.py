"""The public names of CoSee in Python: they import from ``cosee`` and take what was promised, in its order."""

from __future__ import annotations

import inspect

import pytest

import cosee

BY_POSITION = {
    "Board.add_cell": "view content tags=None author='unknown' step=0",
    "Board.get_cell": "cell_id",
    "Board.list_cells": "filter_fn=None",
    "Board.get_cells_by_page": "page",
    "Board.get_cells_by_author": "author",
    "Board.get_cells_by_tags": "tags",
    "Board.to_text": "max_cells_per_page=8 max_total_chars=2000",
    "Board.__len__": "",
    "Board.__init__": "",
    "Agent.__init__": "name role_prompt qwen_client",
    "Agent.act": "images question board gen_kwargs=None",
    "ScannerAgent.__init__": "qwen_client",
    "DetailReaderAgent.__init__": "qwen_client",
    "CrossCheckerAgent.__init__": "qwen_client",
    "CoSeeController.__init__": "agents max_steps=3 default_gen_kwargs=None",
    "CoSeeController.validate_action": "action",
    "CoSeeController.apply_action": "board action step author",
    "CoSeeController.should_stop": "step hypotheses board",
    "CoSeeController.decide_final_answer": "hypotheses board fallback_answer=''",
    "CoSeeController.run": "images question per_agent_gen_kwargs=None",
    "QwenVLClient.__init__": "model_path device='cpu' dtype='auto' load_in_8bit=False load_in_4bit=False",
    "QwenVLClient.build_messages": "images question board_text=None role_prompt=None",
    "QwenVLClient.generate": "images question board_text=None role_prompt=None max_new_tokens=64 temperature=0.2 "
    "top_p=0.8 top_k=20 repetition_penalty=1.0 presence_penalty=1.5 return_full_text=False **gen_kwargs",
    "QwenVLClient.tokenize_prompt_length": "messages",
    "load_mpdocvqa_split": "split",
    "build_dev_subset": "split max_samples",
    "normalize_answer": "text",
    "exact_match": "pred gold",
    "f1_score": "pred gold",
    "anls": "pred gold",
    "aggregate_metrics": "preds golds",
    "single_agent_cot": "qwen_client images question max_new_tokens=128 gen_kwargs=None",
    "self_consistency": "qwen_client images question num_samples=3 max_new_tokens=128 gen_kwargs=None",
    "multi_agent_chat_no_board": "agents images question max_turns=3 gen_kwargs=None",
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_signature(name: str) -> None:
    # contract: C45, C50
    target = cosee
    for part in name.split("."):
        target = getattr(target, part)
    found = []
    for parameter in inspect.signature(target).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert parameter.default is not parameter.empty, f"{parameter.name} may only be added with a default"
            continue
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        found.append(f"{'**' if parameter.kind is parameter.VAR_KEYWORD else ''}{parameter.name}{default}")
    assert " ".join(found) == BY_POSITION[name]


def test_every_public_name_is_there() -> None:
    # contract: C47
    names = {name.split(".")[0] for name in BY_POSITION} | {"View", "Cell", "Action", "Sample", "DummyAgent"}
    assert names <= set(cosee.__all__)
    assert set(cosee.__all__) <= set(dir(cosee))
    assert all(getattr(getattr(cosee, name), "__name__", name) == name for name in cosee.__all__)
    with pytest.raises(AttributeError, match="Bored"):
        cosee.Bored  # noqa: B018
    assert issubclass(cosee.View, dict) and issubclass(cosee.Cell, dict) and issubclass(cosee.Action, dict)


def test_a_question_from_end_to_end() -> None:
    # contract: C43, C20
    class Client:
        def generate(self, images, question, board_text=None, role_prompt=None, **gen_kwargs):
            if "You are the cross-checker" in role_prompt:
                return '{"action": "HYPOTHESIZE", "content": "c", "answer": "3.4M", "supporting_cells": [1, 2]}'
            return '{"action": "INSPECT", "content": "seen", "view": {"page": 2}}'

    client = Client()
    agents = [cosee.ScannerAgent(client), cosee.DetailReaderAgent(client), cosee.CrossCheckerAgent(client)]
    controller = cosee.CoSeeController(agents, max_steps=1)
    first, second = (controller.run(["one", "two"], "What was the revenue?") for _ in range(2))
    assert first["answer"] == "3.4M" and len(first["board"]) == 3 and len(first["hypotheses"]) == 1
    assert first["board"] is not second["board"] and first["board"].to_text() == second["board"].to_text()
