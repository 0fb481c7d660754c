"""The vocabulary of finance: what a figure of accounting is computed from, and the statement that prints it.

Reports rarely print a ratio that a question asks for: they print its terms, on the pages of the financial statements. A
question that names a figure of the list is searched for its line items as well (query expansion by a lexicon), and the
pages headed by the name of the statement count. Names are those of the usual statements under US GAAP and IFRS.

It has a switch of its own, ``retrieval.finance``. ``docs/measurements.md`` says what it is worth to documents whose
questions it was not written from.
"""

from __future__ import annotations

import re
from typing import Literal

from cosee.artifacts.documents.doctree import DocTree
from cosee.retrieval.page_index import FURNITURE, pages_of
from cosee.retrieval.thresholds import LONGEST_STATEMENT_TITLE
from cosee.text.tokens import query_weights

Statement = Literal["balance", "income", "cash"]

# General knowledge: the titles of the statements under US GAAP, IFRS, HGB and the standards of China and Japan.
_TITLES: dict[Statement, str] = {
    "balance": r"balance sheets?|statements? of financial (?:position|condition)|bilanz|资产负债表|貸借対照表",
    "income": r"statements? of (?:consolidated )?(?:net )?(?:income|operations|earnings|profit (?:or|and) loss)"
    r"(?: and comprehensive (?:income|loss))?|income statements?|gewinn-? und verlustrechnung|利润表|損益計算書",
    "cash": r"statements? of (?:consolidated )?cash ?flows?|cash ?flow statements?|kapitalflussrechnung|现金流量表"
    r"|キャッシュ.?フロー計算書",
}
_NAMES = {
    statement: f"consolidated {name}"
    for statement, name in (
        ("balance", "balance sheets"),
        ("income", "statements of income operations earnings"),
        ("cash", "statements of cash flows"),
    )
}

_FIGURES: tuple[tuple[str, str, tuple[Statement, ...]], ...] = (
    (_TITLES["balance"],
     "total assets total liabilities equity", ("balance",)),
    (r"income statements?|statements? of (?:income|operations|earnings)|p ?& ?l|profit and loss"
     r"|gewinn-? und verlustrechnung|利润表|損益計算書",
     "revenue net sales operating income net income per share", ("income",)),
    (r"cash ?flows? statements?|statements? of cash ?flows?|kapitalflussrechnung|现金流量表|キャッシュ.?フロー計算書",
     "operating investing financing activities", ("cash",)),
    (r"gross (?:profit|margin)s?",
     "gross profit net sales revenue cost of sales", ("income",)),
    (r"(?:operating|net|profit|ebitda|ebit)\s+(?:profit |income )?margins?",
     "operating income net income revenue net sales", ("income",)),
    (r"(?:quick|current|cash|liquidity) ratio|working capital",
     "total current assets total current liabilities cash equivalents inventories", ("balance",)),
    (r"days payables?|dpo\b|payables? turnover",
     "accounts payable cost of sales", ("balance", "income",)),
    (r"days inventory|dio\b|inventory turnover",
     "inventories cost of sales", ("balance", "income",)),
    (r"days sales|dso\b|receivables? turnover",
     "accounts receivable net sales revenue", ("balance", "income",)),
    (r"cash conversion cycle",
     "accounts receivable accounts payable inventories cost of sales net sales", ("balance", "income",)),
    (r"(?:return on|to) (?:average )?(?:total )?assets?|roa\b|asset turnover",
     "net income total assets revenue", ("balance", "income",)),
    (r"return on (?:average )?(?:(?:stock|share)holders'? )?equity|roe\b|equity ratio",
     "net income total stockholders shareholders equity", ("balance", "income",)),
    (r"return on (?:average )?capital|roce\b|roic\b|invested capital|capitali[sz]ation ratio|leverage ratio",
     "total debt long-term debt equity total assets operating income", ("balance",)),
    (r"ebitda\b|ebit\b",
     "operating income depreciation and amortization", ("income", "cash",)),
    (r"cap(?:ital )?ex(?:penditures?)?\b",
     "capital expenditures purchases of property plant and equipment additions investing activities", ("cash",)),
    (r"free cash flows?|fcf\b|operating cash flows?|cash flows? from operat",
     "net cash provided by operating activities", ("cash",)),
    (r"effective tax|tax rat",
     "provision for income taxes income before income taxes effective tax rate", ("income",)),
    (r"debt (?:to|ratio)|total debt|interest coverage|total liabilit",
     "total liabilities long-term debt interest expense", ("balance",)),
    (r"fixed assets?|pp ?& ?e\b",
     "property plant and equipment net", ("balance",)),
    (r"dividends? (?:payout|ratio|per share)",
     "dividends declared per share net income", ()),
)  # fmt: skip
"""How a question names a figure, the line items it is computed from, and the statements that print these.
General knowledge: the ratios and statements of textbooks of accounting."""


def _terms_of(items: str, statements: tuple[Statement, ...]) -> dict[str, float]:
    return query_weights(" ".join([items, *(_NAMES[each] for each in statements)]))


# The range's letters have no case, and to look for one takes longer than all else of a pattern.
KNOWN = [
    (re.compile(rf"(?-i:(?<![^\W\u2e80-\u9fff]))(?:{name})", re.IGNORECASE), _terms_of(items, statements), statements)
    for name, items, statements in _FIGURES
]
"""Of each figure: the pattern of its names, the search terms of its line items, and its statements."""


def line_items(text: str) -> dict[str, float]:
    """Search terms of the line items behind every figure that ``text`` names, with their weights, each once."""
    text = _spaced(text)
    found: dict[str, float] = {}
    for name, terms, _ in KNOWN:
        if name.search(text):
            for term, weight in terms.items():
                found[term] = max(weight, found.get(term, 0.0))
    return found


def statements_behind(text: str) -> list[Statement]:
    """The statements that print what ``text`` asks for, each once."""
    text = _spaced(text)
    return list(dict.fromkeys(each for name, _, statements in KNOWN if name.search(text) for each in statements))


def _spaced(text: str) -> str:
    """``debt-to-asset ratio`` as ``debt to asset ratio``."""
    return re.sub(r"(?<=\w)[-_](?=\w)", " ", text)


def _headed(titles: str) -> re.Pattern[str]:
    """A whole heading: the company's name may stand before the statement's, units and dates behind it."""
    # General knowledge: how statements are headed: company, kind of statement, unit, date.
    return re.compile(
        r"(?!notes?\b|see\b|report\b|index\b|item\b)(?:(?-i:[A-Z][\w.,&'\u2019]*\s+)){0,6}?"
        r"(?:(?:condensed|interim|audited|unaudited|group|consolidated)\s+|合并|合併|连结|連結|母公司)*"
        rf"(?:{titles})[\s:\u2013(-]*"
        r"(?:\(?(?:loss|in|dollars|amounts|unaudited|continued|for the|as of|years? ended)\b.*)?",
        re.IGNORECASE | re.DOTALL,
    )


_HEADED = {statement: _headed(titles) for statement, titles in _TITLES.items()}


def statement_pages(tree: DocTree) -> dict[Statement, list[int]]:
    """Statement -> the 0-based pages with a table that are headed by its name."""
    with_table = {page for node in tree.of_type("table") for page in pages_of(node)}
    lines = [
        (node.page_idx, node.title or node.text) for node in tree.of_type("section", "paragraph", "table", "caption")
    ]
    lines += [(each.page_idx, each.text) for each in tree.dropped if each.reason in FURNITURE]
    found: dict[Statement, set[int]] = {statement: set() for statement in _TITLES}
    for page, text in lines:
        if page in with_table and text and len(text) <= LONGEST_STATEMENT_TITLE:
            for statement, headed in _HEADED.items():
                if headed.fullmatch(" ".join(text.split())):
                    found[statement].add(page)
    return {statement: sorted(pages) for statement, pages in found.items()}
