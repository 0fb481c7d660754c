"""The thirty questions with their gold answers, written from the same facts as the documents.

The evidence of a question is given as quotes. A quote has to occur on exactly one page of its document, which makes
that page an evidence page: page numbers are found, never typed, and a changed text cannot leave a wrong answer behind.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from drawn_boxes import DRAWN, Box
from facts import ATLAS, HARBOR, LETTER, TIDAL
from paper import silent_errors

TEXT, TABLE, CHART, FIGURE = "Pure-text (Plain-text)", "Table", "Chart", "Figure"
LAYOUT, EQUATION = "Generalized-text (Layout)", "Equation"
UNANSWERABLE = "Not answerable"


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


def all_questions() -> tuple[Question, ...]:
    """The questions, document by document."""
    return (*_atlas(), *_tidal(), *_harbor(), *_letter())


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


def _unanswerable(doc: str, question: str) -> Question:
    return Question(doc, question, UNANSWERABLE, "None", "unanswerable")


def _atlas() -> list[Question]:
    a, doc = ATLAS, "atlas"
    sites = {site[0]: site for site in a["sites"]}
    site_row = {name: f"{s[0]} {s[1]} {s[2]} {s[3]:,} {s[4]} {s[5]}" for name, s in sites.items()}
    worst = [name for name, site in sites.items() if site[5] == "D"]
    gains = {name: a["profit_of"][name][1] - a["profit_of"][name][0] for name in a["segments"]}
    cold, rail = (a["segments"][name][2024] for name in ("Cold storage", "Rail freight"))
    cranes = a["investment"]["Automated cranes"]
    quarter = min(range(4), key=lambda i: a["utilisation"][4 + i])
    auditors = [name.removesuffix(" (chair)") for name, _, _, audit in a["directors"] if audit != "–"]
    return [
        Question(
            doc,
            "Which firm audited the financial statements of Atlas Coldway?",
            a["auditor"],
            "Str",
            "lookup",
            (TEXT,),
            (f"were audited by {a['auditor']}",),
        ),
        Question(
            doc,
            "How many pallet positions does the terminal in Fredericia have?",
            str(sites["Fredericia"][3]),
            "Int",
            "lookup",
            (TABLE,),
            (site_row["Fredericia"],),
            shown=f"{sites['Fredericia'][3]:,}",
        ),
        Question(
            doc,
            "What is the energy class of the terminal in Rostock?",
            sites["Rostock"][5],
            "Str",
            "lookup",
            (TABLE,),
            (site_row["Rostock"],),
        ),
        Question(
            doc,
            "How many terminals in the list of terminals are in energy class D?",
            str(len(worst)),
            "Int",
            "count",
            (TABLE,),
            tuple(site_row[name] for name in worst),
            computed=True,
        ),
        Question(
            doc,
            "How many figures does chapter 2, Operations, contain?",
            "2",
            "Int",
            "count",
            (LAYOUT,),
            ("Figure 3: Use of pallet", "Figure 4: Departures on time"),
            computed=True,
            visual=True,
        ),
        Question(
            doc,
            "Which segment increased its operating profit by the largest amount from 2023 to 2024?",
            max(gains, key=lambda name: gains[name]),
            "Str",
            "compare",
            (TABLE,),
            ("Table 4: Revenue and operating profit by segment",),
        ),
        Question(
            doc,
            "Which directors are members of the audit committee?",
            auditors,
            "List",
            "list",
            (TABLE, TEXT),
            ("Attendance of directors in 2024",),
        ),
        Question(
            doc,
            "By how many million euros did the 2024 revenue of Cold storage exceed that of Rail freight?",
            f"{cold - rail:.1f}",
            "Float",
            "derive",
            (TABLE,),
            (f"Cold storage 318.4 341.7 {cold}", f"Rail freight 204.6 221.3 {rail}"),
            computed=True,
        ),
        Question(
            doc,
            "By how many per cent did investment in automated cranes fall from 2023 to 2024? Round to one decimal.",
            f"{100 * (1 - cranes[1] / cranes[0]):.1f}",
            "Float",
            "derive",
            (TABLE,),
            (f"Automated cranes {cranes[0]} {cranes[1]}",),
            computed=True,
            alternatives=("18%", "18.0%"),
        ),
        Question(
            doc,
            "Did the share of trains that left on time reach the goal of the year in October 2024?",
            "Yes" if a["on_time"][9] >= a["on_time_goal"] else "No",
            "Bool",
            "verify",
            (CHART, TEXT),
            ("Figure 4: Departures on time by month",),
            computed=True,
            visual=True,
        ),
        Question(
            doc,
            "How many gigawatt-hours came from rooftop solar in 2023?",
            str(a["electricity"]["Rooftop solar"][3]),
            "Int",
            "lookup",
            (CHART,),
            ("Figure 7: Stacked bar chart of electricity used",),
            visual=True,
        ),
        Question(
            doc,
            "In which quarter of 2024 was the use of pallet positions lowest?",
            f"Q{quarter + 1} 2024",
            "Str",
            "compare",
            (CHART,),
            ("Figure 3: Use of pallet positions by quarter",),
            visual=True,
            alternatives=(f"Q{quarter + 1}", "first quarter"),
        ),
        Question(
            doc,
            "On the page numbered iv, what dividend per share in euros does the board propose for 2024?",
            f"{a['dividend'][2024]:.2f}",
            "Float",
            "lookup",
            (TEXT, TABLE),
            ("The board proposes a dividend",),
        ),
        _unanswerable(doc, "What was the operating profit of the Digital services segment in 2021?"),
    ]


def _tidal() -> list[Question]:
    t, doc = TIDAL, "tidal"
    full, isolated = t["ablation"][0][1], t["ablation"][1][1]
    errors = silent_errors()[1]
    worst = max((j for j in range(5) if j != 1), key=lambda j: errors[j])
    better = t["at"]["Autoregressive"][60] < t["at"]["Harmonic"][60]
    printed = " ".join(f"{value:.3f}" for value in t["errors"]["Shoal"])
    return [
        Question(
            doc,
            "Under which grant was the work on Shoal paid for?",
            t["grant"],
            "Str",
            "lookup",
            (TEXT,),
            (f"under grant {t['grant']}",),
        ),
        Question(
            doc,
            "What is the root mean square error of Shoal at a horizon of 60 minutes, in m/s?",
            f"{t['at']['Shoal'][60]:.3f}",
            "Float",
            "lookup",
            (TABLE,),
            (f"Shoal {printed}",),
        ),
        Question(
            doc,
            "To which power is the speed of the current raised in the formula for the power of a turbine?",
            "3",
            "Int",
            "lookup",
            (EQUATION,),
            ("For a rotor of swept area",),
            visual=True,
            alternatives=("third", "cubed"),
        ),
        Question(
            doc,
            "Is the autoregressive model more accurate than harmonic prediction at 60 minutes?",
            "Yes" if better else "No",
            "Bool",
            "verify",
            (TABLE, CHART, TEXT),
            ("Table 2. Root mean square error",),
            computed=True,
        ),
        Question(
            doc,
            "By how many m/s does the error at 30 minutes increase if the neighbour meters are left out?",
            f"{isolated - full:.3f}",
            "Float",
            "derive",
            (TABLE,),
            (f"without neighbour meters {isolated:.3f}",),
            computed=True,
        ),
        Question(
            doc,
            "Apart from K2 itself, which meter's silence raises the error at K2 the most?",
            t["stations"][worst][0],
            "Str",
            "compare",
            (FIGURE,),
            ("Fig. 5. Error at 30 minutes",),
            visual=True,
        ),
        _unanswerable(doc, "What is the error of Shoal at a horizon of 45 minutes, in m/s?"),
    ]


def _harbor() -> list[Question]:
    h, doc = HARBOR, "harbor"
    cheaper = [name for name, approved, _, expected in h["budget"] if expected < approved]
    approved, expected = f"Total {h['approved']} {h['spent']} {h['forecast']}", h["forecast"] - h["approved"]
    return [
        Question(
            doc,
            "Who is the project manager of the shore power project?",
            h["manager"],
            "Str",
            "lookup",
            (TEXT,),
            (f"{h['date']} · {h['manager']}", f"Questions: {h['manager']}"),
            mode="any",
        ),
        Question(
            doc,
            "How many calls did cruise ships make in 2023?",
            str(h["calls"]["Cruise"][2]),
            "Int",
            "lookup",
            (CHART,),
            ("Cruise ships, calls a year",),
            visual=True,
        ),
        Question(
            doc,
            "By how many million euros is the total expected cost above the total approved budget?",
            f"{expected:.1f}",
            "Float",
            "derive",
            (TABLE,),
            (approved,),
            computed=True,
        ),
        Question(
            doc,
            "Which packages of the budget are expected to cost less than approved?",
            cheaper,
            "List",
            "list",
            (TABLE,),
            (approved,),
        ),
        _unanswerable(doc, "Which company supplies the 50/60 Hz converter?"),
    ]


def _letter() -> list[Question]:
    le, doc = LETTER, "letter"
    return [
        Question(
            doc,
            "What is the surveyor's reference on the letter?",
            le["reference"],
            "Str",
            "lookup",
            (LAYOUT,),
            (f"Our reference: {le['reference']}",),
            visual=True,
        ),
        Question(
            doc,
            "What is the estimated total cost of the work in pounds, without value added tax?",
            str(le["total"]),
            "Int",
            "lookup",
            (TABLE,),
            (f"Total £{le['total']:,}",),
            shown=f"£{le['total']:,}",
            visual=True,
        ),
        Question(
            doc,
            "By which date do applications to the Coastal Heritage Fund have to be made?",
            le["deadline"],
            "Str",
            "lookup",
            (TEXT,),
            (f"close on {le['deadline']}",),
            visual=True,
        ),
        _unanswerable(doc, "In which year was the cast-iron gutter installed?"),
    ]
