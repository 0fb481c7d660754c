"""Line items named in a question, and the arithmetic between them: ``A to B``, ``A less B``, ``change of A``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cosee.reader.skills.formulas import Statements
from cosee.text.folding import fold

_NAMES: tuple[tuple[str, str], ...] = (
    ("working_capital", r"working capital"),
    ("free_cash_flow", r"free cash flow"),
    ("operating_cash", r"operating cash flows?|cash flows? from operati(?:ng activities|ons)|cash from operations"),
    ("current_liabilities", r"(?:total )?current liabilit(?:y|ies)"),
    ("long_liabilities", r"(?:total )?long[- ]term liabilit(?:y|ies)"),
    ("liabilities", r"(?:total )?liabilit(?:y|ies)"),
    ("current_assets", r"(?:total )?current assets?"),
    ("assets", r"(?:total )?assets?"),
    ("total_equity", r"total equity,? including non[- ]?controlling interests?"),
    ("equity", r"(?:total )?(?:(?:share|stock)holders?'? )?equity|(?:share|stock)holders?'? funds"),
    ("debt", r"(?<!term )(?:total )?debt(?! securities)"),
    ("long_debt", r"(?:total )?long[- ]term debt"),
    ("ebitda", r"ebitda"),
    ("gross_profit", r"gross profits?"),
    ("operating_income", r"operating (?:income|profit)s?|income from operations"),
    ("net_income", r"net (?:income|earnings|profit)s?"),
    ("pretax_income", r"(?:income|earnings|profit) before (?:income )?tax(?:es)?|pre-?tax income"),
    ("interest_expense", r"interest(?: expenses?)?"),
    ("depreciation", r"depreciation(?: and amortization)?(?: expenses?)?"),
    ("cogs", r"(?:total )?costs? of (?:goods sold|sales|revenues?)|cogs"),
    ("revenue", r"(?:total )?(?:net )?(?:sales|revenues?)"),
    ("cash", r"cash and cash equivalents|cash(?: balance)?(?! (?:flow|ratio|conversion|from))"),
    ("short_investments", r"short[- ]term investments"),
    ("receivables", r"(?:accounts )?receivables?"),
    ("inventory", r"(?:merchandise )?inventor(?:y|ies)"),
    ("payables", r"(?:accounts )?payables?"),
    ("goodwill", r"goodwill"),
    ("ppe", r"property,? plant,? and equipment|pp&e"),
    ("capex", r"capex|capital expenditures?"),
    ("research", r"r&d(?: expenses?)?|research and development(?: expenses?)?"),
    ("advertising", r"advertising(?: expenses?)?"),
    ("sga", r"sg&a(?: expenses?)?|selling,? general,? and administrative(?: expenses?)?"),
    ("dividends", r"dividends?(?: paid)?"),
)
_ITEM = re.compile("|".join(rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in _NAMES))
_RATIO = re.compile(
    r"^\s*(?:expenses?\s+)?(?:to|/|over|divided by|as an?\s+(?:%|percent(?:age)?|share|"
    r"proportion)\s+of)\s+(?:the\s+)?(?P<average>average\s+)?(?:total\s+)?$"
)
_MINUS = re.compile(r"^\s*,?\s*(?:less|minus|net of)\s+(?:the\s+)?$")
_PLUS = re.compile(r"^\s*,?\s*plus\s+(?:the\s+)?$")
_CHANGE = re.compile(
    r"\b(?:percent(?:age)?\s+(?:change|increase|decrease|growth)|growth rate|year[- ]over[- ]year (?:change|"
    r"growth)|change|increase|decrease|grow(?:th)?|growing)\b"
)


@dataclass(frozen=True)
class Expression:
    """What a question wants computed: ``first`` alone, or combined with ``second`` by ``operator``."""

    first: str
    operator: str = ""
    """``/``, ``-``, ``+``, or empty."""
    second: str = ""
    average: bool = False
    """Whether the second item is the mean of this year's and last year's end."""

    def value(self, statements: Statements, year: str) -> float:
        """The value in ``year``; raises MissingItem and ZeroDivisionError."""
        first = statements.item(self.first, year)
        if not self.operator:
            return first
        second = (statements.average if self.average else statements.item)(self.second, year)
        return {"/": lambda: first / second, "-": lambda: first - second, "+": lambda: first + second}[self.operator]()


def expression(question: str) -> Expression | None:
    """The items of a question and what stands between them; None where it names none, or defines its own terms.

    A definition after ``defined as`` is read instead of the name before it.
    """
    text = fold(question)
    text = text.partition("defined as")[2] or text
    if re.search(r"\btaking\b|\bwhere\b.*\bis\b|\bincluding\b(?! non)", text):
        return None
    found = [(match.lastgroup or "", match.start(), match.end()) for match in _ITEM.finditer(text)]
    for (first, _, end), (second, start, _) in zip(found, found[1:], strict=False):
        between = text[end:start]
        if ratio := _RATIO.match(between):
            return Expression(first, "/", second, bool(ratio["average"]))
        if _MINUS.match(between):
            return Expression(first, "-", second)
        if _PLUS.match(between):
            return Expression(first, "+", second)
    return Expression(found[0][0]) if len({item for item, _, _ in found}) == 1 else None


def expression_text(text: str) -> str:
    """The first line item's words in a folded text; empty where there is none."""
    match = _ITEM.search(text)
    return match.group() if match else ""


def asks_change(question: str) -> bool:
    """Whether a question asks how something changed between two years."""
    return bool(_CHANGE.search(fold(question)))
