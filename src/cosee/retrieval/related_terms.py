"""What a figure of accounting is computed from, and the statement that prints it.

Reports rarely print a ratio that a question asks for: they print its terms. A question that names a figure of the list
is searched for those terms as well (query expansion by a lexicon). The phrases are the line items of the usual
statements under US GAAP and IFRS.
"""

from __future__ import annotations

import re

from cosee.index.tokens import query_weights

_BALANCE_SHEET = "consolidated balance sheets"
_INCOME_STATEMENT = "consolidated statements of income operations earnings"
_CASH_FLOWS = "consolidated statements of cash flows"

_FIGURES = (
    (r"balance sheets?|statements? of financial (?:position|condition)",
     f"{_BALANCE_SHEET} total assets total liabilities equity"),
    (r"income statements?|statements? of (?:income|operations|earnings)|p ?& ?l|profit and loss",
     f"{_INCOME_STATEMENT} revenue net sales operating income net income per share"),
    (r"cash ?flows? statements?|statements? of cash ?flows?",
     f"{_CASH_FLOWS} operating investing financing activities"),
    (r"gross (?:profit|margin)s?", f"gross profit net sales revenue cost of sales {_INCOME_STATEMENT}"),
    (r"(?:operating|net|profit|ebitda|ebit)\s+(?:profit |income )?margins?",
     f"operating income net income revenue net sales {_INCOME_STATEMENT}"),
    (r"(?:quick|current|cash|liquidity)[_ ]ratio|working capital",
     f"total current assets total current liabilities cash equivalents inventories {_BALANCE_SHEET}"),
    (r"days payables?|dpo\b|payables? turnover",
     f"accounts payable cost of sales {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"days inventory|dio\b|inventory turnover", f"inventories cost of sales {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"days sales|dso\b|receiv(?:ables?|e) turnover",
     f"accounts receivable net sales revenue {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"cash conversion cycle",
     f"accounts receivable accounts payable inventories cost of sales net sales {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"(?:return on|to) (?:average )?(?:total )?assets?|roa\b|asset turnover",
     f"net income total assets revenue {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"return on (?:average )?(?:(?:stock|share)holders'? )?equity|roe\b|equity ratio",
     f"net income total stockholders shareholders equity {_BALANCE_SHEET} {_INCOME_STATEMENT}"),
    (r"return on (?:average )?capital|roce\b|roic\b|invested capital|capitali[sz]ation ratio|leverage ratio",
     f"total debt long-term debt equity total assets operating income {_BALANCE_SHEET}"),
    (r"ebitda\b|ebit\b", f"operating income depreciation and amortization {_INCOME_STATEMENT} cash flows"),
    (r"cap(?:ital )?ex(?:penditures?)?\b",
     f"capital expenditures purchases of property plant and equipment additions {_CASH_FLOWS} investing activities"),
    (r"free cash flows?|fcf\b|operating cash flows?|cash flows? from operat",
     f"net cash provided by operating activities {_CASH_FLOWS}"),
    (r"effective tax|tax rat", "provision for income taxes income before income taxes effective tax rate"),
    (r"debt (?:to|ratio)|total debt|interest coverage|total liabilit",
     f"total liabilities long-term debt interest expense {_BALANCE_SHEET}"),
    (r"fixed assets?|pp ?& ?e\b|ppn?e\b", f"property plant and equipment net {_BALANCE_SHEET}"),
    (r"dividends? (?:payout|ratio|per share)", "dividends declared per share net income"),
)  # fmt: skip
_RELATED = [(re.compile(rf"\b(?:{name})", re.IGNORECASE), query_weights(terms)) for name, terms in _FIGURES]


def related_terms(text: str) -> dict[str, float]:
    """Search terms of the line items behind every figure that ``text`` names, with their weights, each once."""
    found: dict[str, float] = {}
    for name, terms in _RELATED:
        if name.search(text):
            for term, weight in terms.items():
                found[term] = max(weight, found.get(term, 0.0))
    return found
