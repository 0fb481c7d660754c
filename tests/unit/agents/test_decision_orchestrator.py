"""The loop of the decision agent: what it lets a model do, what it refuses, and how it ends."""

import asyncio
import json
from typing import Any

import pytest
from helpers.decision import ANSWER, Desk, Model, call, index_of, prompt_text
from helpers.index_trees import TreeBuilder

from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Inputs, Tool
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.trace import Budget, BudgetExceeded
from cosee.models.calls import ModelError
from cosee.models.metering import MeteredClient

SEARCH = call("fast_vector_search", query="Heron accuracy")
END = call("text_response", should_end=True)


class Probe(Tool):
    """A tool whose behaviour a test gives: what it yields, or raises, each time it is called."""

    name = "probe"
    description = "A probe."
    status = "Probing..."

    def __init__(self, desk: Desk, *outputs: Any, name: str = "probe", rule: dict[str, Any] | None = None) -> None:
        super().__init__(desk.services)
        self.name, self.outputs, self.rule = name, list(outputs), rule  # type: ignore[misc]
        self.seen: list[tuple[Any, dict[str, Any]]] = []

    async def run_if_true(self, tree_data):  # type: ignore[no-untyped-def]
        return (True, self.rule) if self.rule is not None and not self.seen else (False, {})

    async def __call__(self, tree_data, inputs):  # type: ignore[no-untyped-def]
        self.seen.append((tree_data, inputs))
        output = self.outputs.pop(0) if self.outputs else Result([{"text": "probed"}], name="p")
        if isinstance(output, BaseException):
            raise output
        yield output


def with_probe(model: Model, *outputs: Any, **options: Any) -> tuple[Desk, Probe]:
    desk = Desk(model)
    probe = Probe(desk, *outputs, **options)
    desk.tools[probe.name] = probe
    return desk, probe


def decided(desk: Desk) -> list[tuple[str, str]]:
    return [(frame["author"], frame["tool"]) for frame in desk.frames("decision")]


def errors_told(message: Any) -> str:
    return "\n".join(line for line in message.first("history").text.splitlines() if line.startswith("error: "))


def test_the_order_is_availability_rules_decision_execution_storing_frame() -> None:
    # contract: E32, E2
    order: list[str] = []
    desk, probe = with_probe(Model([call("probe"), END]))

    class Watched(Probe):
        async def is_tool_available(self, tree_data):  # type: ignore[no-untyped-def]
            order.append("available")
            return True

        async def run_if_true(self, tree_data):  # type: ignore[no-untyped-def]
            order.append("rule")
            return False, {}

        async def __call__(self, tree_data, inputs):  # type: ignore[no-untyped-def]
            order.append("call")
            self.seen.append((tree_data, inputs))
            assert not desk.frames("result")
            yield Result([{"text": "x"}], name="p")
            order.append("stored" if desk.state.environment.find("probe") and desk.frames("result") else "lost")

    watched = desk.tools["probe"] = Watched(desk)
    reply = desk.context.client.reply  # type: ignore[attr-defined]

    def told(messages: Any) -> str:
        order.append("decide")
        return reply(messages)

    desk.context.client.replies = told  # type: ignore[attr-defined]
    assert desk.run() == "answered"
    assert order[:5] == ["available", "rule", "decide", "call", "stored"]
    assert watched.seen[0][0] is desk.state and probe.seen == []
    kinds = [frame["type"] for frame in desk.frames()]
    assert kinds[:3] == ["decision", "status", "result"]


def test_the_prompt_of_a_decision_holds_what_it_should_and_nothing_else() -> None:
    # contract: E27, E40, E7
    model = Model([SEARCH, call("fast_vector_search", query="xylophone quartz"), END])
    desk = Desk(model)
    desk.state.conversation_history = [{"author": "user", "content": "Which pumps are there?"}]
    desk.state.environment.hidden_environment["plan"] = "SECRET"
    desk.run()
    last = model.prompts("decide")[-1]
    text = prompt_text(last)
    for wanted in (desk.state.user_prompt, "Heron | 88.1", "fast_vector_search (2 times)", "Which pumps are there?",
                   "No text results for: xylophone quartz", "open_node: Read one node"):  # fmt: skip
        assert wanted in text
    assert [block.kind for block in last.blocks if block.kind not in ("page_text", "instruction")] == [
        "question",
        "history",
    ]
    desk.state.tasks_completed["fast_vector_search"][0] = 0.123456
    assert "SECRET" not in text and "seconds" not in text
    seconds = desk.state.tasks_completed
    assert set(seconds) == {"fast_vector_search", "text_response"} and len(seconds["fast_vector_search"]) == 2
    asyncio.run(_ask_again(desk))
    assert "0.123456" not in prompt_text(model.prompts("decide")[-1])
    assert "0.123456" not in json.dumps(desk.frames())


async def _ask_again(desk: Desk) -> None:
    from cosee.agents.decision.decision import DecisionAgent

    await DecisionAgent(desk.services).decide(desk.state, list(desk.tools.values()))


@pytest.mark.parametrize("bad", ["search please", '{"tool": ', '{"tool": ""}', '{"inputs": {}}'])
def test_a_decision_is_strict_json_asked_for_again_and_then_replaced(bad: str) -> None:
    # contract: E28
    model = Model([bad, SEARCH, END])
    desk = Desk(model)
    assert desk.run() == "answered" and decided(desk)[0] == ("model", "fast_vector_search")
    model = Model([bad] * 99)
    desk = Desk(model)
    assert desk.run() == "answered"
    assert decided(desk) == [("fallback", "fast_vector_search"), ("fallback", "text_response")]
    assert len(model.prompts("decide")) == 8


def test_unknown_and_unavailable_tools_are_refused_and_the_next_decision_is_told() -> None:
    # contract: E29
    model = Model([call("google"), call("visual_interpretation"), SEARCH, END])
    desk = Desk(model)
    assert desk.run() == "answered"
    second, third = (errors_told(message) for message in model.prompts("decide")[1:3])
    assert "There is no tool 'google'" in second and "fast_vector_search" in second
    assert "visual_interpretation is not available now" in third
    assert set(desk.state.tasks_completed) == {"fast_vector_search", "text_response"}


def test_an_impossible_question_gets_an_answer_with_its_reason() -> None:
    # contract: E30
    for tool in ("text_response", "fast_vector_search", "nonsense"):
        model = Model([call(tool, impossible=True, should_end=True, reasoning="It is a pump catalogue.")] * 2)
        desk = Desk(model)
        assert desk.run() == "impossible"
        assert "little of the document was read" in errors_told(model.prompts("decide")[1]), "nothing was looked at"
        (entry,) = desk.state.environment.find("text_response", "answer")
        said = entry["objects"][0]
        assert (said["answer"], said["explanation"]) == (NOT_ANSWERABLE, "It is a pump catalogue.")
        assert model.prompts("text_response") == []


@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ({}, "query: Field required"),
        ({"query": ["x"]}, "query: Input should be a valid string"),
        ({"query": "x", "path": "/etc/passwd"}, "path: Extra inputs are not permitted"),
        ({"query": ""}, "query: String should have at least 1 character"),
    ],
)
def test_inputs_are_held_against_the_tools_specification(inputs: dict[str, Any], complaint: str) -> None:
    # contract: E31
    model = Model([call("fast_vector_search", **inputs), SEARCH, END])
    desk = Desk(model)
    assert desk.run() == "answered"
    assert complaint in errors_told(model.prompts("decide")[1])
    assert len(desk.state.tasks_completed["fast_vector_search"]) == 1


def test_ten_identical_searches_are_one_search() -> None:
    # contract: E35
    same = [
        call("fast_vector_search", query=query) for query in ("Heron accuracy", " heron  ACCURACY", "Heron accuracy")
    ]
    model = Model([*same, *same, *same, SEARCH])
    desk = Desk(model)
    assert desk.run() == "answered"
    assert len(desk.state.tasks_completed["fast_vector_search"]) == 1
    assert len(model.prompts("decide")) == 4, "three refusals in a row are enough"
    assert "already called" in errors_told(model.prompts("decide")[2])
    assert desk.state.environment.find("text_response", "answer")
    assert decided(desk)[-1] == ("fallback", "text_response")


def test_a_model_that_only_makes_tools_up_is_left_to_the_fixed_order() -> None:
    # contract: E29
    desk = Desk(Model([call("google")] * 9))
    assert desk.run() == "answered"
    assert [tool for _, tool in decided(desk)] == [*["google"] * 3, "fast_vector_search", "text_response"]


def test_a_call_that_found_nothing_is_said_to_have_found_nothing() -> None:
    nothing = call("fast_vector_search", query="xylophone quartz")
    model = Model([nothing, nothing, SEARCH, END])
    desk = Desk(model)
    assert desk.run() == "answered"
    assert "It found nothing: use other inputs" in errors_told(model.prompts("decide")[2])


def test_two_tools_that_found_nothing_are_followed_by_a_search_of_the_pages() -> None:
    model = Model([call("fast_vector_search", query="xylophone"), call("read_table", table="Table 99")] * 9)
    desk = Desk(model)
    assert desk.run() == "answered"
    assert decided(desk)[2:] == [("fallback", "fast_vector_search"), ("fallback", "text_response")]
    assert len(model.prompts("decide")) == 2
    assert desk.frames("decision")[2]["inputs"]["query"] == desk.state.user_prompt, "in the question's own words"
    assert any(value.get("nodes") for value in desk.state.environment.objects()), "pages are read"


ABSTAINS = {"answer": NOT_ANSWERABLE, "explanation": "The pages are about herons.", "confidence": 0.9, "quotes": []}


def wide_tree() -> DocTree:
    build = TreeBuilder(9)
    for page in range(9):
        build.section(f"sec_{page}", f"Chapter {page}", page)
        build.leaf(f"t_{page}", f"The heron of pond {page} eats {page + 20} fish a day.", page)
    return build.build()


def test_who_gives_up_after_one_look_is_sent_back_once_and_told_why() -> None:
    # contract: E30, E13
    first, second = call("fast_vector_search", query="heron"), call("fast_vector_search", query="pond 8")
    model = Model([first, END, second, END], text_response=[ABSTAINS, ANSWER])
    desk = Desk(model, retriever=index_of(wide_tree()))
    assert desk.run() == "answered"
    assert [tool for _, tool in decided(desk)] == [
        "fast_vector_search", "text_response", "fast_vector_search", "text_response",
    ]  # fmt: skip
    told = errors_told(model.prompts("decide")[2])
    assert "What was found does not hold the answer" in told and "Search again with other words" in told
    (entry,) = desk.state.environment.find("text_response", "answer")
    assert entry["objects"][0]["answer"] == "88.1"
    assert "".join(frame["content"] for frame in desk.frames("token")) == "88.1", "what was held back is no token"


def test_who_gives_up_again_is_believed() -> None:
    # contract: E30
    model = Model([call("fast_vector_search", query="heron"), END, END], text_response=ABSTAINS)
    desk = Desk(model, retriever=index_of(wide_tree()))
    assert desk.run() == "answered" and len(model.prompts("text_response")) == 2
    assert desk.state.environment.find("text_response", "answer")[0]["objects"][0]["answer"] == NOT_ANSWERABLE


@pytest.mark.parametrize("bound", [{"calls": 2}, {"calls": 3}])
def test_an_abstention_that_was_held_back_stands_where_the_budget_ends(bound: dict[str, int]) -> None:
    model = Model([call("fast_vector_search", query="heron"), END, END], text_response=ABSTAINS)
    desk = Desk(MeteredClient(model, Budget(**bound)), budget=Budget(**bound), retriever=index_of(wide_tree()))
    assert desk.run() == "budget"
    (entry,) = desk.state.environment.find("text_response", "answer")
    assert entry["objects"][0]["explanation"] == "The pages are about herons."
    assert "".join(frame["content"] for frame in desk.frames("token")) == NOT_ANSWERABLE


def test_who_has_seen_every_page_is_not_sent_back() -> None:
    build = TreeBuilder(2)
    for page in range(2):
        build.leaf(f"t_{page}", f"The heron of pond {page} eats fish.", page)
    model = Model([call("fast_vector_search", query="heron"), END], text_response=ABSTAINS)
    desk = Desk(model, retriever=index_of(build.build()))
    assert desk.run() == "answered" and len(model.prompts("text_response")) == 1


def test_at_the_last_step_an_abstention_stands() -> None:
    model = Model([call("fast_vector_search", query="heron"), END], text_response=ABSTAINS)
    desk = Desk(model, retriever=index_of(wide_tree()))
    assert desk.run(max_iterations=2) == "answered" and len(model.prompts("text_response")) == 1


def test_refusals_are_counted_over_the_whole_question() -> None:
    found = [call("fast_vector_search", query=f"Heron {n}") for n in range(99)]
    turns = [turn for search in found for turn in (call("google"), search)]
    desk = Desk(Model(turns))
    desk.run(max_iterations=40)
    assert [author for author, _ in decided(desk)].count("model") == 11, "six refusals, five searches between them"
    assert decided(desk)[-1] == ("fallback", "text_response")


def test_other_inputs_are_another_call() -> None:
    # contract: E35
    model = Model([SEARCH, call("fast_vector_search", query="Egret latency"), SEARCH, END])
    desk = Desk(model)
    assert desk.run() == "answered"
    assert len(desk.state.tasks_completed["fast_vector_search"]) == 2


def test_at_the_limit_the_answer_is_forced() -> None:
    # contract: E34, E33
    model = Model([call("fast_vector_search", query=f"Heron {n}") for n in range(99)])
    desk = Desk(model)
    assert desk.run(max_iterations=3) == "max_steps"
    assert len(model.prompts("decide")) == 3
    assert "".join(frame["content"] for frame in desk.frames("token")) == ANSWER["answer"]


def test_should_end_ends_only_with_a_tool_that_may_end() -> None:
    # contract: E33
    model = Model([{**SEARCH, "should_end": True}, call("text_response", should_end=False)])
    desk = Desk(model)
    assert desk.run() == "answered"
    assert [tool for _, tool in decided(desk)] == ["fast_vector_search", "text_response"]
    assert set(desk.state.tasks_completed) == {"fast_vector_search", "text_response"}, "the named tool did run"


def test_a_recoverable_error_is_told_to_the_next_decision() -> None:
    # contract: E13, E37
    model = Model([call("probe"), call("probe"), END])
    desk, probe = with_probe(model, Error("no luck", suggestion="try again"))
    desk.run()
    (frame, *_) = desk.frames("error")
    assert (frame["message"], frame["recoverable"], frame["suggestion"]) == ("no luck", True, "try again")
    assert "probe: no luck (suggestion: try again)" in errors_told(model.prompts("decide")[1])


def test_an_unrecoverable_error_disables_the_tool() -> None:
    # contract: E14
    model = Model([call("probe"), call("probe"), END])
    desk, probe = with_probe(model, Error("gone", recoverable=False))
    desk.run()
    assert len(probe.seen) == 1
    assert "probe is not available now" in errors_told(model.prompts("decide")[2])
    assert "probe" not in model.prompts("decide")[1].of("instruction")[1].data["available"]


@pytest.mark.parametrize(
    "fault", [ValueError("bad"), KeyError("x"), RecursionError(), ModelError("down", recoverable=True)]
)
def test_exceptions_in_a_tool_become_errors(fault: Exception) -> None:
    # contract: E15
    desk, _ = with_probe(Model([call("probe"), SEARCH, END]), fault)
    assert desk.run() == "answered"
    (frame,) = desk.frames("error")
    assert frame["recoverable"] is True and frame["author"] == "probe"


def test_a_failing_model_leaves_the_fixed_order() -> None:
    # contract: E28
    model = Model()
    desk = Desk(model)
    model.replies = [ModelError("down")] * 99
    assert desk.run() == "error"
    assert decided(desk) == [("fallback", "fast_vector_search"), ("fallback", "text_response")]


def test_rules_that_hold_together_all_run_with_their_own_inputs() -> None:
    # contract: E16
    desk, first = with_probe(Model([END]), name="first", rule={"a": 1})
    second = desk.tools["second"] = Probe(desk, name="second", rule={"b": 2})
    assert desk.run() == "answered"
    assert first.seen[0][1] == {"a": 1} and second.seen[0][1] == {"b": 2}
    assert desk.state.environment.find("first") and desk.state.environment.find("second")
    assert decided(desk)[:2] == [("rule", "first"), ("rule", "second")]


def test_a_large_environment_is_summarised_once_and_then_answered_from() -> None:
    # contract: E24, E25, E26
    summary = {"points": [{"page": 5, "text": "The Heron reaches 88.1 %."}]}
    big = Result([{"page_number": 5, "text": "word " * 50_000}], name="big")
    model = Model([call("probe"), END], summarize=summary)
    desk, _ = with_probe(model, big)
    assert desk.run() == "answered"
    assert decided(desk) == [
        ("model", "probe"), ("rule", "summarize"), ("model", "text_response"),
    ]  # fmt: skip
    assert "The Heron reaches 88.1 %." in prompt_text(model.prompts("text_response")[0])
    assert desk.frames("result")[1]["objects"][0]["_REF_ID"] == "probe.big.1.1"


def test_a_text_search_that_finds_nothing_leads_to_the_visual_one() -> None:
    # contract: E43, E19
    from cosee.reader.client import EmbeddedClient

    text = "Wherefore art thou \u2603?"
    desk = Desk(EmbeddedClient(), text)
    assert desk.run() == "answered"
    assert [tool for _, tool in decided(desk)] == ["fast_vector_search", "colqwen_visual_search", "text_response"]
    model = Model(["no JSON"] * 99)
    desk = Desk(model, text)
    assert desk.run() == "answered"
    assert [tool for _, tool in decided(desk)] == ["fast_vector_search", "colqwen_visual_search", "text_response"]
    (entry,) = desk.state.environment.find("text_response", "answer")
    assert entry["objects"][0]["answer"] == NOT_ANSWERABLE and entry["objects"][0]["explanation"]


def test_the_last_call_of_a_budget_is_kept_for_the_answer() -> None:
    # contract: E34
    endless = [call("fast_vector_search", query=f"Heron {n}") for n in range(99)]
    for calls, tools in ((1, ["fast_vector_search"]), (3, ["fast_vector_search"] * 2)):
        model = Model(endless)
        desk = Desk(MeteredClient(model, Budget(calls=calls)), budget=Budget(calls=calls))
        assert desk.run() == "budget"
        assert [tool for _, tool in decided(desk)] == [*tools, "text_response"]
        assert len(model.prompts("text_response")) == 1 and len(model.received) == calls


def test_a_budget_that_is_used_up_ends_with_what_there_is() -> None:
    desk, _ = with_probe(Model([SEARCH, call("probe"), SEARCH]), BudgetExceeded("seconds"))
    assert desk.run() == "budget"
    assert [tool for _, tool in decided(desk)] == ["fast_vector_search", "probe", "text_response"]
    assert "seconds" in desk.frames("error")[0]["message"]
    assert desk.state.environment.find("text_response", "answer")


def test_a_model_that_wastes_its_tries_leaves_the_answer_its_call() -> None:
    # contract: E34, E28
    budget = Budget(calls=3, tokens_out=400)
    model = Model(["{" * 600] * 9)
    desk = Desk(MeteredClient(model, budget), budget=budget)
    assert desk.run() == "budget"
    assert [tool for _, tool in decided(desk)] == ["fast_vector_search", "text_response"]
    assert desk.state.environment.find("text_response", "answer")[0]["objects"][0]["answer"] == "88.1"


def test_results_are_told_with_their_objects_and_metadata() -> None:
    # contract: E39, E36
    desk = Desk(Model([SEARCH, END]))
    desk.run()
    frame = desk.frames("result")[0]
    assert frame["tool"] == "fast_vector_search" and frame["metadata"]["query"] == "Heron accuracy"
    assert all(value["_REF_ID"] and value["page_number"] and value["node_ids"] for value in frame["objects"])
    assert "nodes" not in frame["objects"][0]
    allowed = {"decision", "status", "result", "token", "error"}
    assert {each["type"] for each in desk.frames()} <= allowed
    for each in desk.frames():
        assert json.loads(json.dumps(each, allow_nan=False)) == each


def test_an_inputs_model_without_fields_refuses_any() -> None:
    with pytest.raises(ValueError, match="x"):
        Inputs.model_validate({"x": 1})
