"""The thirty questions of `questions.md` with their gold answers, filled with the same facts as the documents.

A question is a block: its text; `=` its answer (entries of a list between `; `); format of the answer, task, kinds of
evidence and `visual`, `computed` (the answer is printed nowhere) or `any` (any one of the pages is enough); `>` quotes
of the evidence; `shown` as the answer is printed; `or` other answers. A block of one line is a question that its
document does not answer. A quote has to occur on exactly one page of its document, which makes that page an evidence
page: page numbers are found, never typed, and a changed text cannot leave a wrong answer behind.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from drawn_boxes import DRAWN, Box
from facts import ATLAS, HARBOR, LETTER, TIDAL
from paper import silent_errors
from source_text import FOLDER, fill

SOURCES = {
    "text": "Pure-text (Plain-text)", "table": "Table", "chart": "Chart", "figure": "Figure",
    "layout": "Generalized-text (Layout)", "equation": "Equation",
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A question, its gold answer and the quotes that locate its evidence.

    `shown` is how the answer is printed, if that differs; it must be on an evidence page unless `computed` is set.
    """

    doc: str
    question: str
    answer: str | list[str]
    form: str
    task: str
    sources: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    shown: str = ""
    computed: bool = False
    visual: bool = False
    mode: str = "all"
    alternatives: tuple[str, ...] = ()

    def pages(self, texts: list[str]) -> list[int]:
        """Physical pages (from 1) that hold the quotes."""
        found = set()
        for quote in self.quotes:
            hits = [number for number, text in enumerate(texts, start=1) if plain(quote) in text]
            if len(hits) != 1:
                raise ValueError(f"{self.doc}: quote {quote!r} is on pages {hits}, expected exactly one")
            found.add(hits[0])
        return sorted(found)

    def missing(self, texts: list[str]) -> list[str]:
        """Printed answers that are on no evidence page."""
        if self.computed or self.form == "None":
            return []
        answers = [self.shown] if self.shown else [self.answer] if isinstance(self.answer, str) else self.answer
        evidence = [texts[page - 1] for page in self.pages(texts)]
        return [answer for answer in answers if not any(plain(answer) in text for text in evidence)]


def share(box: Box, size: tuple[float, float]) -> list[float]:
    """A box in points as shares of its page."""
    return [round(edge / size[place % 2], 4) for place, edge in enumerate(box)]


def plain(text: str) -> str:
    """Text with line-end hyphens removed and white space made uniform."""
    return " ".join(re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text).split())


def all_questions() -> list[Question]:
    """The questions, document by document."""
    facts = {"atlas": _atlas(), "tidal": _tidal(), "harbor": _harbor(), "letter": LETTER}
    found = []
    for part in re.split(r"^# ", (FOLDER / "questions.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        doc, *blocks = part.strip().split("\n\n")
        found += [_question(doc, fill(block, facts[doc]).splitlines()) for block in blocks]
    return found


def _question(doc: str, block: list[str]) -> Question:
    text, *rest = block
    if not rest:
        return Question(doc, text, "Not answerable", "None", "unanswerable")
    answer, told, *more = rest
    form, task, *words = told.split()
    starts = {mark: tuple(line.removeprefix(mark) for line in more if line.startswith(mark))
              for mark in ("> ", "or ", "shown ")}  # fmt: skip
    return Question(
        doc,
        text,
        answer[2:].split("; ") if form == "List" else answer[2:],
        form,
        task,
        sources=tuple(SOURCES[word] for word in words if word in SOURCES),
        quotes=starts["> "],
        shown="".join(starts["shown "]),
        computed="computed" in words,
        visual="visual" in words,
        mode="any" if "any" in words else "all",
        alternatives=starts["or "],
    )


def rows(texts: dict[str, list[str]], sizes: dict[str, list[tuple[float, float]]]) -> list[dict[str, Any]]:
    """The lines of questions.jsonl; `texts` and `sizes` hold plain text and size of each page of each document."""
    counts: Counter[str] = Counter()
    result = []
    for item in all_questions():
        counts[item.doc] += 1
        if missing := item.missing(texts[item.doc]):
            raise ValueError(f"{item.doc}: {missing} not on the evidence pages of {item.question!r}")
        name = f"{item.doc}-{counts[item.doc]:03d}"
        result.append(
            {
                "question_id": name,
                "doc_id": item.doc,
                "question": item.question,
                "answer": item.answer,
                "answer_format": item.form,
                "answer_alt": list(item.alternatives),
                "evidence_pages": item.pages(texts[item.doc]),
                "evidence_mode": item.mode,
                "evidence_boxes": [
                    {"page": page, "bbox": share(box, sizes[item.doc][page - 1])} for page, box in DRAWN.get(name, [])
                ],
                "evidence_sources": list(item.sources),
                "task_type": item.task,
                "requires_visual": item.visual,
                "source_dataset": "demo",
                "language": "en",
                "split": "dev",
            }
        )
    return result


def _atlas() -> dict[str, Any]:
    a = ATLAS
    sites = {site[0]: site for site in a["sites"]}
    gains = {name: a["profit_of"][name][1] - a["profit_of"][name][0] for name in a["segments"]}
    cranes = a["investment"]["Automated cranes"]
    auditors = [name.removesuffix(" (chair)") for name, _, _, audit in a["directors"] if audit != "–"]
    return a | {
        "sites": sites,
        "site_row": {name: f"{s[0]} {s[1]} {s[2]} {s[3]:,} {s[4]} {s[5]}" for name, s in sites.items()},
        "worst": sum(site[5] == "D" for site in a["sites"]),
        "most_gained": max(gains, key=lambda name: gains[name]),
        "audit_committee": "; ".join(auditors),
        "ahead": a["segments"]["Cold storage"][2024] - a["segments"]["Rail freight"][2024],
        "cranes_fell": 100 * (1 - cranes[1] / cranes[0]),
        "reached_in_october": "Yes" if a["on_time"][9] >= a["on_time_goal"] else "No",
        "least_used": 1 + min(range(4), key=lambda i: a["utilisation"][4 + i]),
    }


def _tidal() -> dict[str, Any]:
    t = TIDAL
    errors = silent_errors()[1]
    most_missed = max((meter for meter in range(5) if meter != 1), key=lambda meter: errors[meter])
    return t | {
        "shoal_row": " ".join(f"{value:.3f}" for value in t["errors"]["Shoal"]),
        "autoregressive_is_better": "Yes" if t["at"]["Autoregressive"][60] < t["at"]["Harmonic"][60] else "No",
        "isolation_costs": t["ablation"][1][1] - t["ablation"][0][1],
        "most_missed": t["stations"][most_missed][0],
    }


def _harbor() -> dict[str, Any]:
    cheaper = [name for name, approved, _, expected in HARBOR["budget"] if expected < approved]
    return HARBOR | {"above_budget": HARBOR["forecast"] - HARBOR["approved"], "cheaper": "; ".join(cheaper)}
