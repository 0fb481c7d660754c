"""Typed output: parse a model's reply against a schema, mend its form once, ask again, fail in a typed way."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, Literal

from pydantic import BaseModel, ValidationError

from cosee.artifacts import files
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.blocks import Block, Message
from cosee.models.boxes import Grid, in_shares
from cosee.models.calls import Failure, Generation, ModelError, Output, Sampling, TypedCaller, TypedReply
from cosee.models.messages import instruction_block
from cosee.models.reply_schema import filled_in, left_out, shown_schema
from cosee.models.thresholds import (
    FAULT_CHARACTERS,
    MOST_CANDIDATES,
    MOST_FAULTS_TOLD,
    MOST_REPLY_CHARACTERS,
    RETRIES,
    VALIDATION_CHARACTERS,
)
from cosee.models.tolerant_json import Ambiguous, Malformed, TolerantReader, add_pair, bounded_int

ParseError = Literal["empty", "no_json", "ambiguous", "malformed", "schema", "truncated_in_thinking"]
CUT_SHORT = ("length", "max_tokens", "MAX_TOKENS")
"""What servers call a reply that ended at its bound."""
_FENCE = re.compile(r"```[ \t]*[A-Za-z0-9_-]*[ \t]*\n?(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Parsed(Generic[Output]):
    """A parsed reply: a value, or an error with what is wrong in words."""

    value: Output | None
    error: ParseError | None = None
    detail: str = ""
    repairs: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """Fields at fault, where the reply is JSON that does not fit the schema."""


class _Fault(Exception):
    def __init__(self, error: ParseError, detail: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(detail)
        self.error: ParseError = error
        self.detail, self.fields = detail, fields


def request(
    client: TypedCaller,
    messages: Sequence[Message],
    schema: type[Output],
    sampling: Sampling | None = None,
    *,
    retries: int = RETRIES,
    fallback: TypedCaller | None = None,
) -> TypedReply[Output]:
    """Ask for one JSON object of ``schema``.

    The schema is added to the prompt here, so prompts need not describe it. A reply that does not parse is asked
    for again at most ``retries`` times with the error named; each retry sends the original prompt and one correction.
    Then ``fallback`` is asked in the same way. What the model wrote never raises.

    Raises:
        ModelError: a call failed and no retry or fallback helped.
        BudgetExceeded: from a metered client.
    """
    (reply,) = request_many(client, [messages], schema, [sampling], retries=retries, fallback=fallback)
    if isinstance(reply, ModelError | BudgetExceeded):
        raise reply
    return reply


def request_many(
    client: TypedCaller,
    batch: Sequence[Sequence[Message]],
    schema: type[Output],
    samplings: Sequence[Sampling | None],
    *,
    retries: int = RETRIES,
    fallback: TypedCaller | None = None,
) -> list[TypedReply[Output] | Failure]:
    """``request`` for each conversation, in order: each is parsed, corrected and asked again by itself.

    The calls of one try are sent together, so that a client can run them as a batch. What ``request`` would raise for
    a conversation stands in its place; the others have their replies all the same.
    """
    exchanges = [
        _Exchange(messages, schema, sampling, retries) for messages, sampling in zip(batch, samplings, strict=True)
    ]
    _converse(client, exchanges, schema)
    if fallback is not None:
        _converse(fallback, [exchange.again() for exchange in exchanges if exchange.may_fall_back], schema)
    return [exchange.result() for exchange in exchanges]


def _converse(client: TypedCaller, exchanges: Sequence[_Exchange[Output]], schema: type[Output]) -> None:
    """Send what is open, as a batch a try, until nothing is."""
    while waiting := [exchange for exchange in exchanges if exchange.is_open]:
        if len(waiting) == 1:
            replies = [_one_call(client, waiting[0], schema)]
        else:
            prompts = [exchange.prompt(client) for exchange in waiting]
            replies = client.chat_typed_many(prompts, schema, [exchange.drawn(client) for exchange in waiting])
        for exchange, reply in zip(waiting, replies, strict=True):
            exchange.take(reply, client)


def _one_call(client: TypedCaller, exchange: _Exchange[Output], schema: type[Output]) -> Generation | Failure:
    try:
        return client.chat_typed(exchange.prompt(client), schema, exchange.drawn(client))
    except (ModelError, BudgetExceeded) as failure:
        return failure


class _Exchange(Generic[Output]):
    """One conversation with one client after the other: what to send next, and what came back."""

    def __init__(
        self, messages: Sequence[Message], schema: type[Output], sampling: Sampling | None, retries: int
    ) -> None:
        self.messages, self.schema, self.retries = messages, schema, retries
        self.sampling = sampling or Sampling()
        if "presence_penalty" not in self.sampling.model_fields_set:
            # The default penalty for tokens that were written would forbid the marks that JSON repeats.
            self.sampling = self.sampling.model_copy(update={"presence_penalty": 0.0})
        self.parsed: Parsed[Output] | None = None
        self.failure: Failure | None = None
        self.text, self.error, self.usage = "", "", Usage()
        self.refused: list[str] = []
        self.tries = self.attempts = 0
        self.fell_back = False

    @property
    def is_open(self) -> bool:
        """Whether another try is worth it."""
        recoverable = self.failure is None or (isinstance(self.failure, ModelError) and self.failure.recoverable)
        return self.parsed is None and recoverable and self.tries <= self.retries

    @property
    def may_fall_back(self) -> bool:
        """Whether another client may be asked: nothing usable yet, and budget left."""
        return self.parsed is None and not isinstance(self.failure, BudgetExceeded)

    def again(self) -> _Exchange[Output]:
        """The same conversation, open for another client."""
        self.tries, self.failure, self.text, self.error, self.fell_back = 0, None, "", "", True
        return self

    def prompt(self, client: TypedCaller) -> list[Message]:
        """The messages of the next try: those of the first, and after a reply of no use one correction."""
        added = [instruction_block("json_schema", schema_text(self.schema, client.asked_grid))]
        if self.tries:
            added.append(_correction(self.error, self.tries + 1, self.retries + 1))
        *before, last = self.messages
        return [*before, Message((*last.blocks, *added), last.role)]

    def drawn(self, client: TypedCaller) -> Sampling:
        """How a try is drawn: the reply's own room and that for the client's thoughts."""
        return with_thoughts(self.sampling, client.thinking_tokens)

    def take(self, reply: Generation | Failure, client: TypedCaller) -> None:
        """Read what a try of a client brought; its boxes are in 0..1 from then on."""
        self.tries += 1
        self.attempts += 1
        if not isinstance(reply, Generation):
            self.failure, self.error = reply, str(reply)
            return
        self.failure, self.text, self.usage = None, reply.text, add_usage(self.usage, reply.usage)
        parsed = parse(reply.text, self.schema)
        if parsed.error == "malformed" and reply.finish_reason not in CUT_SHORT:
            parsed = _with_last_braces(reply.text, self.schema) or parsed
        if parsed.value is not None:
            dropped = in_shares(parsed.value, self.messages, client.asked_grid, client.sent_size)
            self.parsed = replace(parsed, repairs=(*parsed.repairs, *dropped))
            return
        self.error = f"{parsed.error}: {parsed.detail}"
        if reply.finish_reason in CUT_SHORT:
            self.error = f"length: cut off after {reply.usage.tokens_out} tokens ({self.error})"
        self.refused += [f"{parsed.error}:{name}" for name in parsed.fields] or [parsed.error or ""]

    def result(self) -> TypedReply[Output] | Failure:
        """The reply, or what its last call raised."""
        if self.failure is not None:
            return self.failure
        repairs = tuple(f"refused:{error}" for error in self.refused)
        if self.parsed is not None and self.parsed.value is not None:
            missing = (f"left_out:{name}" for name in left_out(self.parsed.value))
            repairs = (*repairs, *self.parsed.repairs, *missing)
        if self.fell_back:
            repairs = (*repairs, "fallback")
        value, error = (self.parsed.value, None) if self.parsed else (None, self.error)
        return TypedReply(value, self.text, self.usage, error, repairs, self.attempts)


def with_thoughts(sampling: Sampling, tokens: int) -> Sampling:
    """The sampling with room for thoughts beside the reply's own."""
    return sampling.model_copy(update={"max_new_tokens": sampling.max_new_tokens + tokens}) if tokens else sampling


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum of two usages."""
    return Usage(**{name: getattr(first, name) + getattr(second, name) for name in Usage.model_fields})


def _correction(error: str, attempt: int, attempts: int) -> Block:
    fault = error[:FAULT_CHARACTERS]
    wording = (
        f"Your last reply could not be used ({fault}). Reply again, attempt {attempt} of {attempts}, "
        "with nothing but one JSON object of the schema above: no prose, no code fence, double quotes."
    )
    return instruction_block("json_correction", wording)


@lru_cache(maxsize=64)
def schema_text(schema: type[BaseModel], box_grid: Grid | None = None) -> str:
    """The request for JSON: the schema on one line, its fields in the order in which they are to be written."""
    return f"Reply with nothing but one JSON object that fits this JSON schema:\n{shown_schema(schema, box_grid)}"


def parse(text: str, schema: type[Output]) -> Parsed[Output]:
    """Parse one reply; never raises. ``repairs`` is empty only where the text was the schema's JSON as it stood."""
    try:
        return _parse(files.with_whole_characters(text[:MOST_REPLY_CHARACTERS]), schema)
    except _Fault as fault:
        return Parsed(None, fault.error, fault.detail, fields=fault.fields)


def _with_last_braces(text: str, schema: type[Output]) -> Parsed[Output] | None:
    """What a reply that its model ended says where its last braces are missing and no field; None where more is."""
    closed = (parse(text.rstrip() + braces, schema) for braces in ("}", "}}"))
    found = next((each for each in closed if each.value is not None and not left_out(each.value)), None)
    return found and replace(found, repairs=(*found.repairs, "last_braces"))


def _parse(text: str, schema: type[Output]) -> Parsed[Output]:
    repairs: set[str] = set()
    strict = _strict(text.strip("\ufeff \t\r\n"), repairs)
    if strict is None:
        text = _without_thinking(text, repairs)
        strict = _strict(text, repairs)
    if strict is not None:
        return _checked(_unwrapped(strict[0], repairs), schema, repairs)
    candidates = _candidates(_unfenced(text, repairs))
    if not candidates and re.search(r"[{\[]\s*[{\[\"'\w]", text):
        raise _Fault("malformed", "no complete JSON object")
    return _choose(candidates, schema, repairs)


def _strict(text: str, repairs: set[str]) -> tuple[Any] | None:
    """The value of a text that is JSON as it stands, in a tuple; None where it is not."""
    if not text or text[0] not in '{["':
        return None
    noted: set[str] = set()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            add_pair(found, key, value, noted)
        return found

    def constant(_: str) -> None:
        noted.add("nan")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_int=bounded_int)
    except Ambiguous as error:
        raise _Fault("ambiguous", str(error)) from error
    except (ValueError, RecursionError):
        return None
    repairs |= noted
    return (files.with_whole_characters(value),) if r"\ud" in text.lower() else (value,)


def _without_thinking(text: str, repairs: set[str]) -> str:
    """The text after its reasoning. Raises _Fault where nothing follows it."""
    text = text.strip("\ufeff \t\r\n")
    while text.startswith("<think>"):
        end = text.find("</think>")
        if end < 0:
            raise _Fault("truncated_in_thinking", "the reply ends inside <think>")
        text = text[end + len("</think>") :].lstrip()
        repairs.add("think")
    thought, mark, said = text.rpartition("</think>")
    if mark and (not thought.startswith(("{", "[", "```")) or said.lstrip().startswith(("{", "[", "```"))):
        text = said.lstrip()
        repairs.add("think")
    if not text.strip():
        raise _Fault("empty", "the reply is empty")
    return text


def _unfenced(text: str, repairs: set[str]) -> str:
    """The content of the code fences where one of them holds an object, else the text."""
    if text.lstrip().startswith(("{", "[")):
        repairs.add("prose")
        return text
    bodies = [body for body in _FENCE.findall(text) if "{" in body or "[" in body]
    if bodies:
        repairs.add("fence")
        return "\n".join(bodies)
    if not re.sub(r"```[ \t]*[A-Za-z0-9_-]*", "", text).strip():
        raise _Fault("empty", "the reply is an empty code block")
    repairs.add("prose")
    return text


def _candidates(text: str) -> list[tuple[Any, set[str]] | _Fault]:
    """Every value that starts with a bracket, read with patience, left to right, a bounded number of them."""
    found: list[tuple[Any, set[str]] | _Fault] = []
    position = 0
    for _ in range(MOST_CANDIDATES):
        start = min((at for at in (text.find("{", position), text.find("[", position)) if at >= 0), default=-1)
        if start < 0:
            break
        reader = TolerantReader(text, start)
        try:
            found.append((reader.value(), reader.repairs))
            position = reader.position
        except Ambiguous as error:
            found.append(_Fault("ambiguous", str(error)))
            position = reader.position
        except Malformed as error:
            if text[start] == "{":
                found.append(_Fault("malformed", str(error)))
                if "ends inside" in str(error):
                    break
            position = start + 1
    return found


def _unwrapped(value: Any, repairs: set[str]) -> Any:
    """An object out of a list of one, or out of a string that holds JSON."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        repairs.add("list_of_one")
        return value[0]
    if isinstance(value, str):
        inner = _strict(value.strip(), repairs)
        if inner is None:
            raise _Fault("no_json", "the reply is a string, not an object")
        repairs.add("string")
        return inner[0]
    return value


def _checked(value: Any, schema: type[Output], repairs: set[str]) -> Parsed[Output]:
    if not isinstance(value, dict):
        raise _Fault("schema", f"expected a JSON object, found {type(value).__name__}")
    try:
        if (filled := filled_in(value)) != value:
            repairs.add("properties")
        return Parsed(schema.model_validate(filled), None, "", tuple(sorted(repairs)))
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, fault['loc'])) or 'value'}: {fault['msg']}"
            for fault in error.errors()[:MOST_FAULTS_TOLD]
        )
        # Items of lists have numbers in their place, which would count one field as many.
        named = dict.fromkeys(
            ".".join(str(part) for part in fault["loc"] if not isinstance(part, int)) for fault in error.errors()
        )
        raise _Fault("schema", "; ".join(faults), tuple(name for name in named if name)) from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise _Fault("schema", str(error)[:VALIDATION_CHARACTERS]) from error


def _choose(candidates: list[tuple[Any, set[str]] | _Fault], schema: type[Output], repairs: set[str]) -> Parsed[Output]:
    """The one candidate that fits the schema; two different ones are ambiguous."""
    fitting: list[Parsed[Output]] = []
    faults: list[_Fault] = []
    for candidate in candidates:
        if isinstance(candidate, _Fault):
            faults.append(candidate)
            continue
        value, mended = candidate
        noted = repairs | mended
        try:
            fitting.append(_checked(_unwrapped(value, noted), schema, noted))
        except _Fault as fault:
            if isinstance(value, dict) or fault.error != "schema":
                faults.append(fault)
    if any(fault.error == "ambiguous" for fault in faults) or any(
        other.value != fitting[0].value for other in fitting[1:]
    ):
        raise _Fault("ambiguous", "the reply holds several different answers")
    if fitting:
        return fitting[0]
    if not faults:
        raise _Fault("no_json", "the reply holds no JSON object")
    raise next((fault for fault in faults if fault.error == "schema"), faults[0])
