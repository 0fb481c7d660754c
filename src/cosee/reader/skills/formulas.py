"""Named financial ratios from the line items of statements: definitions of accounting textbooks, as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosee.reader.skills.nodes import Passage, Quote
from cosee.reader.skills.tables import Grid, Row, at_year, grids

_ITEMS: dict[str, tuple[str, ...]] = {
    "revenue": (r"(total )?(net )?(sales|revenues?)", r"total (net )?(sales|revenues?)( and other income)?",
        r"(total )?(consolidated )?(net )?(operating )?revenues?(, net)?"),
    "cogs": (r"(total )?costs? of (goods sold|sales|revenues?|products? sold|merchandise( costs)?)",
        r"merchandise costs", r"cost of (goods|products).*"),
    "gross_profit": (r"gross (profit|margin)",),
    "operating_income": (r"(total )?(operating (income|profit)|income from operations)( \(loss\))?", r"earnings "
        r"from operations"),
    "net_income": (r"net (income|earnings|profit)( \(loss\))?", r"net (income|earnings|profit)( \(loss\))? "
        r"(attributable|available) to .*", r"consolidated net income", r"net income .*"),
    "pretax_income": (r"(income|earnings|profit)( \(loss\))? before (the )?(provision for )?(income )?tax(es)?( "
                      r"expense)?.*",),
    "tax": (r"(total )?(provision|benefit|\(provision\)|provision \(benefit\)|benefit \(provision\)) for (income "
            r")?taxes", r"income tax(es)?( expense| provision)?( \(benefit\))?", r"total (provision for )?income "
                r"tax.*"),
    "interest_expense": (r"(total )?(net )?interest expense(, net)?.*",),
    "assets": (r"total assets",),
    "current_assets": (r"total current assets",),
    "current_liabilities": (r"total current liabilities",),
    "liabilities": (r"total liabilities",),
    "long_liabilities": (r"total (long[- ]term|non[- ]?current) liabilities",),
    "equity": (r"total [\w&., ]{0,40}?(stock|share) ?(holders|owners)' ?(equity|investment|funds)( "
               r"attributable.*)?", r"total equity", r"(stock|share) ?holders' (equity|funds)"),
    "total_equity": (r"total equity", r"total [\w&., ]{0,40}?(stock|share) ?(holders|owners)' ?(equity|"
                                      r"investment|funds)"),
    "cash": (r"cash and (cash )?equivalents", r"cash"),
    "short_investments": (r"(short[- ]term|marketable|current) (investments|securities)", r"marketable securities"),
    "receivables": (r"((trade )?accounts |trade )?receivables?(, net)?.*", r"accounts receivable.*"),
    "inventory": (r"(merchandise )?inventor(y|ies)(, net)?",),
    "payables": (r"(trade )?accounts payable.*",),
    "ppe": (r"(total )?(net )?property,?( and|,)? ?(plant,? )?(and )?equipment,? ?(net)?.*",),
    "goodwill": (r"goodwill(, net)?",),
    "capex": (r"(purchases?|additions?|acquisitions?)( of| to)? .*(property|equipment|capital assets).*",
        r"capital expenditures?.*"),
    "depreciation": (r"(total )?depreciation(,| and) ?(and )?amortization.*", r"depreciation of property.*",
        r"depreciation.*"),
    "operating_cash": (r"(net )?cash (provided|generated|used|flows?|\(used)[^.]* operat(ing|ions).*", r"cash "
        r"flows? from operating activities"),
    "long_debt": (r"(total )?long[- ]term debt(, (?!less current).*)?", r"long[- ]term borrowings"),
    "short_debt": (r"current portion of (long[- ]term )?(debt|borrowings).*", r"short[- ]term (debt|borrowings).*"),
    "dividends": (r"(cash )?dividends?( paid| declared).*", r"payments? of (cash )?dividends.*", r"(cash )?dividends"),
    "repurchases": (r"(repurchases?|purchases?) of (common|treasury|company) (stock|shares).*", r"(common "
        r")?(stock|share) repurchases?.*"),
    "research": (r"(research and development|product development|technology and (content|development))( "
                 r"expenses?| costs?)?",),
    "advertising": (r"(total )?advertising( expenses?| costs?)?",),
    "sga": (r"(total )?selling,? (and )?general,? and administrative( expenses?)?.*", r"total selling and "
        r"administrative expense"),
}  # fmt: skip
"""Line item -> patterns of its row label, the best first; a label must match as a whole, case and notes apart."""


@dataclass(frozen=True)
class Found:
    """A line item's value in one year, in the table's own scale."""

    value: float
    scale: float
    quote: Quote
    label: str


class MissingItem(Exception):
    """A line item that no table gives for the year; ``item`` names it."""

    def __init__(self, item: str) -> None:
        super().__init__(item)
        self.item = item


class Statements:
    """The tables of the evidence as financial statements; collects the quotes of what was used."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.grids = grids(passages)
        self.used: list[Quote] = []
        self.scale = 1.0
        """What the table of the value read last says its numbers are in."""

    def value(self, item: str, year: str) -> float:
        """The item's value in ``year``, unscaled to the unit of its table; raises MissingItem."""
        found = self.find(_ITEMS[item], year)
        if found is None:
            raise MissingItem(item)
        self.used.append(found.quote)
        self.scale = found.scale
        return abs(found.value) if item in _SIGNLESS else found.value

    def item(self, item: str, year: str) -> float:
        """A printed or derived item in ``year``; raises MissingItem for the first part that no table gives."""
        if item in _DERIVED:
            return _DERIVED[item](self, year)
        try:
            return self.value(item, year)
        except MissingItem:
            if item not in _FALLBACK:
                raise
            return _FALLBACK[item](self, year)

    def optional(self, item: str, year: str) -> float:
        """The item's value, 0 where there is none (a company without short-term debt has no such row)."""
        try:
            return self.value(item, year)
        except MissingItem:
            return 0.0

    def average(self, item: str, year: str) -> float:
        """The mean of the item at the ends of this year and the year before."""
        return (self.item(item, year) + self.item(item, str(int(year) - 1))) / 2

    def find(self, patterns: Sequence[str], year: str) -> Found | None:
        """The first row, by pattern then by reading order, that has a value in ``year``."""
        for pattern in patterns:
            matcher = re.compile(rf"(?:{pattern})")
            for table in self.grids:
                for row in table.rows:
                    if matcher.fullmatch(label_key(row.label)) and (number := at_year(row, table, year)):
                        return Found(number.value, table.scale, _quote(row, table), row.label)
        return None


def label_key(label: str) -> str:
    """A row label without case, notes, dots and footnote marks."""
    label = re.sub(
        r"\((?:note|see)[^)]*\)|[:*†‡]|\.{2,}|(?<=[a-z])\(\d\)|\s\(\d+\)$", "", label.lower().replace("’", "'")
    )
    return " ".join(label.replace("—", " ").split()).strip(" .,")


def _quote(row: Row, table: Grid) -> Quote:
    return Quote(table.passage.node_id, table.passage.page, row.quote)


_DERIVED: dict[str, Callable[[Statements, str], float]] = {
    "ebitda": lambda s, y: s.value("operating_income", y) + abs(s.value("depreciation", y)),
    "debt": lambda s, y: s.value("long_debt", y) + s.optional("short_debt", y),
    "working_capital": lambda s, y: s.value("current_assets", y) - s.value("current_liabilities", y),
    "free_cash_flow": lambda s, y: s.value("operating_cash", y) - abs(s.value("capex", y)),
}  # fmt: skip
"""Items that no statement prints, made of those that it does."""

_FALLBACK: dict[str, Callable[[Statements, str], float]] = {
    "gross_profit": lambda s, y: s.value("revenue", y) - abs(s.value("cogs", y)),
    "liabilities": lambda s, y: s.value("assets", y) - s.value("total_equity", y),
    "long_liabilities": lambda s, y: s.item("liabilities", y) - s.value("current_liabilities", y),
}  # fmt: skip
"""Items that a statement may leave out."""

_SIGNLESS = frozenset(
    {
        "cogs",
        "tax",
        "interest_expense",
        "capex",
        "depreciation",
        "dividends",
        "repurchases",
        "research",
        "advertising",
        "sga",
    }
)
"""Costs and payments, printed as negative numbers in some statements."""


@dataclass(frozen=True)
class Formula:
    """A named ratio: ``pattern`` finds its name in a question, ``compute`` makes it for a year."""

    name: str
    pattern: str
    compute: Callable[[Statements, str], float]
    percent: bool = False


def _quick(s: Statements, y: str) -> float:
    liquid = s.item("cash", y) + s.optional("short_investments", y) + s.optional("receivables", y)
    return liquid / s.item("current_liabilities", y)


def _days(item: str, per: str) -> Callable[[Statements, str], float]:
    return lambda s, y: 365 * s.average(item, y) / s.item(per, y)


def _share(item: str, per: str) -> Callable[[Statements, str], float]:
    return lambda s, y: s.item(item, y) / s.item(per, y)


def _turnover(item: str, per: str) -> Callable[[Statements, str], float]:
    return lambda s, y: s.item(item, y) / s.average(per, y)


def _conversion_cycle(s: Statements, y: str) -> float:
    return _days("inventory", "cogs")(s, y) + _days("receivables", "revenue")(s, y) - _days("payables", "cogs")(s, y)


FORMULAS: tuple[Formula, ...] = (
    Formula("cash conversion cycle", r"cash conversion cycle", _conversion_cycle),
    Formula("days payable outstanding", r"days payables? outstanding|\bdpo\b", _days("payables", "cogs")),
    Formula("days inventory outstanding", r"days (?:of )?inventory|\bdio\b|\bdsi\b", _days("inventory", "cogs")),
    Formula("days sales outstanding", r"days sales outstanding|\bdso\b", _days("receivables", "revenue")),
    Formula("quick ratio", r"quick ratio|acid[- ]test", _quick),
    Formula("cash ratio", r"\bcash ratio", _share("cash", "current_liabilities")),
    Formula("current ratio", r"\bcurrent ratio|working capital ratio", _share("current_assets", "current_liabilities")),
    Formula("inventory turnover", r"inventor(?:y|ies) turnover", _turnover("cogs", "inventory")),
    Formula("payables turnover", r"(?:accounts )?payables?'?s? +turnover", _turnover("cogs", "payables")),
    Formula("receivables turnover", r"(?:accounts )?receivables? +turnover", _turnover("revenue", "receivables")),
    Formula("fixed asset turnover", r"fixed[- ]assets? turnover", _turnover("revenue", "ppe")),
    Formula("asset turnover", r"assets? turnover", _turnover("revenue", "assets")),
    Formula("effective tax rate", r"effective tax (?:rate|ratio)", _share("tax", "pretax_income"), True),
    Formula(
        "return on average equity",
        r"return on average (?:total |shareholders'? |stockholders'? )?equity",
        _turnover("net_income", "equity"),
        True,
    ),
    Formula(
        "return on equity",
        r"return on (?:total |shareholders'? |stockholders'? )?equity|\broe\b",
        _share("net_income", "equity"),
        True,
    ),
    Formula(
        "return on average assets", r"return on average (?:total )?assets?", _turnover("net_income", "assets"), True
    ),
    Formula("return on assets", r"return on (?:total )?assets?|\broa\b", _share("net_income", "assets"), True),
    Formula(
        "return on capital employed",
        r"return on capital employed|\broce\b",
        lambda s, y: s.item("operating_income", y) / (s.item("assets", y) - s.item("current_liabilities", y)),
        True,
    ),
    Formula("gross margin", r"gross (?:profit )?margins?", _share("gross_profit", "revenue"), True),
    Formula(
        "ebitda margin",
        r"ebitda margin",
        _share("ebitda", "revenue"),
        True,
    ),
    Formula(
        "operating margin", r"operating (?:income |profit )?%? ?margin", _share("operating_income", "revenue"), True
    ),
    Formula("net margin", r"net (?:profit|income)? ?%? ?margin|profit margin", _share("net_income", "revenue"), True),
    Formula(
        "interest coverage", r"interest coverage|times interest earned", _share("operating_income", "interest_expense")
    ),
    Formula(
        "capitalization ratio",
        r"capitali[sz]ation ratio",
        lambda s, y: s.item("debt", y) / (s.item("debt", y) + s.item("equity", y)),
        True,
    ),
    Formula("dividend payout", r"(?:dividend )?payout ratio", _share("dividends", "net_income"), True),
    Formula(
        "retention ratio", r"retention ratio", lambda s, y: 1 - s.item("dividends", y) / s.item("net_income", y), True
    ),
    Formula("operating cash flow ratio", r"\bcash flow ratio", _share("operating_cash", "current_liabilities")),
)
"""The narrower name stands before the wider one that it contains."""


def named_formula(question: str) -> Formula | None:
    """The ratio that a question names, or None."""
    text = question.lower().replace("’", "'")
    return next((formula for formula in FORMULAS if re.search(formula.pattern, text)), None)
