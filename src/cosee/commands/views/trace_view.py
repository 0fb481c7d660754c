"""A trace as a story: what was read, what each agent did in each round, the answer and what it cost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import TraceEvent
from cosee.commands.console import cell_text, line, plain
from cosee.commands.views.thresholds import AUTHOR_COLUMN, DETAILS, ENTRIES, LINE, MESSAGE

OWN_WORDS = ("summary_gist", "raw_text", "description", "text")
"""Parts of an observation's payload that hold a node's own words."""
FRAME_FIELDS = ("_REF_ID", "page_number", "page_label", "node_ids", "score", "text")


def show_trace(events: Sequence[TraceEvent], console: Console) -> None:
    """Print events in order. A cell is told with the action that wrote it, calls as the cost of their round."""
    story = _Story(console)
    for place, event in enumerate(events):
        following = events[place + 1] if place + 1 < len(events) else None
        story.tell(event, following)
    story.cost("", story.spent_in_all)


class _Story:
    """What was told so far: the round, and its cost."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.step = 0
        self.spent, self.spent_in_all = Usage(), Usage()

    def tell(self, event: TraceEvent, following: TraceEvent | None) -> None:
        """One event, in the form of its type."""
        if event.step != self.step:
            self.cost("  ", self.spent, "dim")
            self.spent = Usage()
            self.step = event.step
            if event.step:
                line(self.console, f"step {event.step}", "bold")
        told_elsewhere = event.type == "token" or (event.type == "cell" and event.data.get("details"))
        if event.type == "action":
            self.action(event, following if following is not None and following.type == "cell" else None)
        elif not told_elsewhere:
            getattr(self, f"tell_{event.type}", self.other)(event)

    def say(self, who: str | None, text: str, style: str = "") -> None:
        """A line in two columns."""
        line(
            self.console, f"  {plain(who or '', AUTHOR_COLUMN):{AUTHOR_COLUMN}} {plain(text, MESSAGE)}".rstrip(), style
        )

    def tell_start(self, event: TraceEvent) -> None:
        line(self.console, event.message or "", "bold")
        data = dict(event.data)
        strategy = data.pop("strategy", "")
        line(self.console, f"{strategy}{f': {cell_text(data)}' if data else ''}")

    def tell_retrieval(self, event: TraceEvent) -> None:
        data = event.data
        if data.get("read") is not None:
            self.say("read", f"pages {cell_text(data['read'])}" if data["read"] else "nothing")
        hits = data.get("hits") or data.get("chunks") or []
        if hits:
            best = (f"{hit.get('node_id', hit.get('id'))} (page {hit.get('page')}, {hit['score']:.2f})" for hit in hits)
            self.say("best hits", ", ".join(list(best)[:ENTRIES]))

    def action(self, event: TraceEvent, cell: TraceEvent | None) -> None:
        data = event.data
        number = f" #{cell.data.get('id')}" if cell is not None else ""
        target = f" of #{data['target_cell_id']}" if data.get("target_cell_id") else ""
        page = f", page {data['view']['page']}" if data.get("view") else ""
        self.say(event.author, f"{data.get('action', '')}{number}{target}{page}{_sure(data)}: {event.message}")
        for place in (data, *(data.get("further_quotes") or [])):
            self.quote(place)
        for note in data.get("notes") or []:
            self.say("", f"! {note}", "yellow")

    def tell_status(self, event: TraceEvent) -> None:
        """What a tool does, which its decision names; or what was bounded."""
        if event.author and not event.data:
            self.say("", event.message or "", "dim")
        else:
            self.other(event)

    def tell_decision(self, event: TraceEvent) -> None:
        """The choice of a tool; or any other."""
        data = event.data
        if not data.get("tool"):
            self.other(event)
            return
        ends = ", ends here" if data.get("should_end") else ""
        ends = ", the question is impossible" if data.get("impossible") else ends
        self.say(event.author, f"→ {data.get('tool')}{ends}: {data.get('reasoning') or 'no reason given'}")
        if data.get("inputs"):
            self.say("", cell_text(data["inputs"]), "dim")

    def tell_plan(self, event: TraceEvent) -> None:
        """Where a plan goes, as a person names the places, and what of it was not allowed."""
        part = f" (part {event.data['part']})" if event.data.get("part") else ""
        self.say(event.author, f"plan{part}: {event.message or 'no reason given'}")
        places: dict[str, list[str]] = {}
        for directive in event.data.get("directives") or []:
            places.setdefault(str(directive.get("action")), []).append(_place(str(directive.get("target"))))
        goes = "; ".join(f"{action} {', '.join(targets)}" for action, targets in places.items())
        for text in filter(None, (goes, *(f"not followed: {each}" for each in event.data.get("dropped") or []))):
            self.say("", text, "dim")

    def tell_observation(self, event: TraceEvent) -> None:
        """What was observed, the first nodes with their words."""
        seen = event.data.get("observations") or []
        self.say(event.author, f"observed {event.message or ''}")
        for each in seen[:ENTRIES]:
            payload = each.get("payload") or {}
            words = (payload.get(name) for name in ("caption", "title", "schema_brief", "seen", *OWN_WORDS))
            told = "; ".join(dict.fromkeys(str(word) for word in words if word))
            page = (payload.get("anchors") or {}).get("page_idx")
            where = f" (page {page + 1})" if isinstance(page, int) else ""
            self.say("", plain(f"{each.get('node_id')}{where}: {told}", LINE), "dim")
        if len(seen) > ENTRIES:
            self.say("", f"and {len(seen) - ENTRIES} more", "dim")

    def tell_result(self, event: TraceEvent) -> None:
        """What a tool found, its first objects with page and words; or what somebody said."""
        if not event.data.get("tool"):
            self.other(event)
            return
        self.say("", event.message or "")
        objects = event.data.get("objects") or []
        for each in objects[:ENTRIES]:
            page = f"page {each['page_number']}: " if each.get("page_number") else ""
            words = {
                name: value for name, value in each.items() if name not in FRAME_FIELDS and value not in (None, [])
            }
            self.say("", plain(f"{page}{each.get('text') or cell_text(words)}", LINE), "dim")
        if len(objects) > ENTRIES:
            self.say("", f"and {len(objects) - ENTRIES} more", "dim")

    def tell_hypothesis(self, event: TraceEvent) -> None:
        """A proposed answer with what it stands on; that of a cell's author stands below the cell."""
        data = event.data
        cells = ", ".join(f"#{cell}" for cell in data.get("supporting_cells") or [])
        ground = cells or ", ".join(map(str, data.get("support_nodes") or []))
        who = "" if data.get("cell_id") else event.author
        self.say(who, f"→ proposes {event.message!r}{_sure(data)}{f', on {ground}' if ground else ''}")
        for each in data.get("dropped") or []:
            self.say("", f"! {each} was not observed", "yellow")

    def quote(self, place: Mapping[str, Any]) -> None:
        """Quoted words, and whether they were found."""
        if place.get("quote"):
            found = "  (not found on the page)" if place.get("quote_verified") is False else ""
            found = f"  (unverified: {place['unverified']})" if place.get("unverified") else found
            node = f"  {place['node_id']}" if place.get("node_id") else ""
            self.say("", f"“{plain(place['quote'], LINE)}”{node}{found}", "dim")

    def tell_call(self, event: TraceEvent) -> None:
        used = event.data.get("usage") or {}
        for name in Usage.model_fields:
            for total in (self.spent, self.spent_in_all):
                setattr(total, name, getattr(total, name) + int(used.get(name, 0)))
        if event.data.get("finish_reason") == "length":
            self.say(event.author, "the reply was cut at its token bound", "yellow")

    def tell_complete(self, event: TraceEvent) -> None:
        self.cost("  ", self.spent, "dim")
        self.spent = Usage()
        data = event.data
        ended = ", ".join(str(data[key]) for key in ("status", "exit_reason") if data.get(key))
        line(self.console, f"answer: {event.message or 'none'}{_sure(data)}  [{ended}]", "bold")
        for place in data.get("support") or []:
            label = place.get("page_label")
            printed = f" (printed {label})" if label not in (None, "", str(place.get("page"))) else ""
            self.say(f"page {place.get('page')}", f"{printed.strip()} {place.get('node_id') or ''}".strip())
            self.quote({name: place.get(name) for name in ("quote", "quote_verified", "unverified")})
        for way in data.get("path") or []:
            steps = way.get("steps") or []
            told = "".join(f" ─{step.get('edge')}→ {_place(str(step.get('dst')))}" for step in steps)
            self.say("path", f"document{told}", "dim")
        if data.get("dropped_evidence"):
            self.say("", f"{data['dropped_evidence']} pieces of evidence do not exist and were dropped", "yellow")

    def other(self, event: TraceEvent) -> None:
        """Any other event: its words, and below them what it holds."""
        data = {name: value for name, value in event.data.items() if value not in (None, "", [], {})}
        style = {"error": "red", "status": "yellow"}.get(event.type, "")
        sure = _sure(data)
        data.pop("confidence", None)
        reply = data.get("reply")
        if isinstance(reply, Mapping):
            del data["reply"]
            sure = sure or _sure(reply)
            data |= {
                name: value for name, value in reply.items() if name != "confidence" and not _said(value, event.message)
            }
        quotes = data.pop("quotes", None) or []
        self.say(
            event.author or event.type,
            f"{'' if event.author is None else f'{event.type}: '}{event.message or ''}{sure}",
            style,
        )
        if data:
            self.say("", plain(cell_text(data), DETAILS), "dim")
        for place in quotes if isinstance(quotes, list) else []:
            if isinstance(place, Mapping):
                self.quote(place)

    def cost(self, indent: str, used: Usage, style: str = "") -> None:
        """A line of what calls cost; none where there were none."""
        if used.calls:
            cached = f" ({used.tokens_cached:,} cached)" if used.tokens_cached else ""
            images = f", {used.images} images" if used.images else ""
            calls = f"{used.calls} call{'s' if used.calls > 1 else ''}"
            words = f"{calls}, {used.tokens_in:,} tokens in{cached}, {used.tokens_out:,} out{images}"
            line(self.console, f"{indent}cost: {words}", style)


def _place(target: str) -> str:
    """A place of a plan: ``P7`` counts pages from 0, a person from 1."""
    return f"page {int(target[1:]) + 1}" if re.fullmatch(r"P\d{1,9}", target, re.ASCII) else target


def _sure(data: Mapping[str, Any]) -> str:
    value = data.get("confidence")
    return f" ({value:.2f} sure)" if isinstance(value, int | float) else ""


def _said(value: Any, message: str | None) -> bool:
    """Whether a value is nothing, or stands in the message already."""
    return value in (None, "", [], {}) or (isinstance(value, str) and bool(message) and value in str(message))
