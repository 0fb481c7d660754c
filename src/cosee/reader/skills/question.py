"""What a question asks for, read from its wording alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cosee.question.form import counted_structure
from cosee.question.instructions import without_instructions
from cosee.text.content_words import terms
from cosee.text.folding import fold
from cosee.text.mentions import PageName, page_names

Kind = Literal[
    "count", "yes_no", "percent", "money", "number", "date", "year", "person", "place", "list", "stands_for",
    "compare", "difference", "formula", "explain", "phrase",
]  # fmt: skip

_YES_NO = re.compile(
    r"^(?:(?:according to|based on|in|on|as of|for|from|at|by|when|if|during|under)\b[^,]{0,120},\s*)?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would|may|must)\b"
)
_LABEL = re.compile(
    r"\b(figure|fig\.?|table|tab\.|chart|appendix|section|unit|chapter|exhibit|box|note|"
    r"step)\s*([a-z]?\d+(?:\.\d+)*[a-z]?|(?<=\s)(?-i:[A-Z])\b)",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"\b(?:section|chapter|part|appendix)\s+[\"“'‘]?([A-Z][\w'’&-]*(?:\s+(?:[A-Z&][\w'’&-]*|of|and|the|for|in|to|"
    r"with))*)"
    r"|[\"“'‘]([^\"”'’]{3,60})[\"”'’]\s+[Ss]ection|\bthe ([A-Z]\w+(?:\s+(?:[A-Z]\w+|and|of))*)\s+section"
)
_YEAR = re.compile(r"(?<![\d.,])(?:FY\s?'?)?((?:19|20)\d\d)(?!\d)|\bFY\s?'?(\d\d)\b", re.IGNORECASE)
_ITEMS_WANTED = re.compile(
    r"^(?:list|enumerate|name|mention)\b|\blist (?:all|the|them|out|down|each|every)\b|\benumerate\b|"
    r"\b(?:as a|a|in|be a) list\b|\blist format\b|\brespectively\b|\bname (?:all|the)\b|"
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten) [a-z]+s\b"
)
_QUOTED = re.compile(r"[\"“]([^\"”]{2,120})[\"”]|(?<!\w)['‘]([^'’]{2,120})['’](?!\w)")
_WIDE = re.compile(
    r"^(?:what|which)\b.*\b(?:tips|responsibilit\w+|benefits and|limitations?|steps|exceptions?|"
    r"differences? (?:between|in)|conditions|criteria|policies|rights|features|measures|rules|factors|considerations?|"
    r"process|purpose|requirements?|importance|aspects|details|key points|procedures?|precautions|instructions|"
    r"reasons?|main (?:idea|point|argument|finding)s?|implications?|role of)\b|"
    r"^what (?:does|do|did)\b(?! .*\b(?:stand|cost|weigh|measure)\b)|"
    r"^(?:describe|explain|discuss|summari[sz]e|why)\b|^under what (?:conditions|circumstances)\b|"
    r"^what (?:[\w-]+ ){1,6}(?:does|do) .*\b(?:cover|offer|provide|include|require)\w*\b|"
    r"^what (?:are|were) some\b|^what (?:types? of|kinds? of)? ?(?:services|information|coverage)\b"
)
_IN_UNIT = re.compile(
    r"\bin (?:m/s|km/h|kg|km|cm|mm|metres?|meters?|miles|hours?|minutes?|seconds?|days|years|percent|per cent|%|kwh|"
    r"mwh|gwh|mw|gw|tonnes?|tons|litres?|degrees|usd|eur|euros?|dollars?|pounds?|points?)\b(?:,[^?]*)?\??$|"
    r"\b(?:in (?:euros?|dollars?|pounds?)) (?:do|does|did|is|was)\b"
)
_ADVICE = re.compile(
    r"^(?:(?:if|when|after|before|in|on|for|according to|during)\b[^,]*, )?what (?:\w+ )?"
    r"(?:should|must|can|happens?|is meant|might|will|would)\b|"
    r"^how (?:(?:can|should|do|would) (?:i|you|we|one|the user|users)\b|to\b)"
)
_TWO_QUESTIONS = re.compile(r"\band (?:how|what|why|when|who|where)\b")
_PLURAL = re.compile(
    r"^(?:which|what) (?:(?!is\b|was\b|has\b|does\b)[\w-]+ ){0,4}?(?!is\b|was\b|has\b|does\b)[\w-]*[^s\W]s "
    r"(?:[\w ]{0,40}?)?(?:are|were|have|had)\b|"
    r"^(?:list|name|enumerate)\b"
)


@dataclass(frozen=True)
class Asked:
    """A question, read. ``core`` is its text without answer-format instructions; ``terms`` are stems of that."""

    text: str
    core: str
    kind: Kind
    terms: tuple[str, ...]
    years: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    """(word, number): ``("table", "2")``."""
    section: str = ""
    """A section named in the question."""
    structure: str = ""
    """What a structural count counts: ``figure``, ``table``, ``line chart`` ..."""
    listing: bool = False
    """Whether several items are asked for."""
    items_wanted: bool = False
    """Whether the wording asks for a list as such (``list all``, ``in list format``), not only for several things."""
    digits: int | None = None
    """Decimals the question wants."""
    percent_wanted: bool = False
    scale_wanted: float | None = None
    quoted: tuple[str, ...] = ()
    page_labels: tuple[str, ...] = ()
    """Printed pages that are no plain numbers: ``iv``."""
    wide: bool = False
    """Whether a sentence or more answers it."""
    advice: bool = False
    """Whether it asks what to do or what happens: a sentence or two answer it."""
    plural: bool = False
    """Whether it asks which things, of several, meet a condition."""
    keys: tuple[str, ...] = ()
    """Its names and numbers that tell places of the evidence apart; filled in by the reader."""


def analyse(question: str) -> Asked:
    """Read a question."""
    text = re.sub(r"\b([Ww]hat|[Ww]ho|[Ww]here|[Ww]hen|[Hh]ow)['’]s\b", r"\1 is", " ".join(question.split()))
    core = without_instructions(text)
    named = page_names(core)
    lowered = fold(re.sub(r"(?<=\w )(?:Best|Most|More|Less|Top|First)(?= [A-Z])", " ", core))
    structure = counted_structure(lowered)
    digits, scale = _digits(fold(text)), _scale(fold(text))
    kind = _kind(lowered, fold(text), bool(structure))
    if kind in ("phrase", "explain") and "yyyy-mm" in fold(text):
        kind = "date"
    if kind == "phrase" and _IN_UNIT.search(lowered):
        kind = "number"
    if kind == "phrase" and (digits is not None or scale is not None):
        kind = "number" if scale is None else "money"
    return Asked(
        text=text,
        core=core,
        kind=kind,
        terms=tuple(dict.fromkeys(terms(core))),
        years=tuple(dict.fromkeys(full or f"20{short}" for full, short in _YEAR.findall(core))),
        pages=_pages(named),
        labels=tuple(dict.fromkeys((_label_word(word), number.lower()) for word, number in _LABEL.findall(core))),
        section=next((next(filter(None, names)) for names in _SECTION.findall(core)), ""),
        structure=structure,
        listing=_listing(lowered, fold(text)),
        items_wanted=bool(_ITEMS_WANTED.search(fold(text))),
        digits=digits,
        percent_wanted=bool(re.search(r"percent|%|in percentage term", fold(text))),
        scale_wanted=scale,
        quoted=tuple(a or b for a, b in _QUOTED.findall(core)),
        page_labels=tuple(dict.fromkeys(item.lower() for each in named for item in each.items if not item.isdigit())),
        wide=_wide(lowered, kind),
        advice=kind in ("phrase", "explain", "list") and bool(_ADVICE.search(lowered)),
        plural=kind in ("phrase", "list", "compare", "person", "place") and bool(_PLURAL.search(lowered)),
    )


def _wide(text: str, kind: Kind) -> bool:
    if kind in ("explain", "stands_for", "yes_no", "difference", "year", "date"):
        if _ADVICE.search(text) and not _TWO_QUESTIONS.search(text):
            return False
        return kind == "explain" and not re.search(r"^how (?:long|far|old|tall|high|big|large|fast|often)\b", text)
    return bool(_WIDE.search(text)) or (kind in ("phrase", "list") and bool(_TWO_QUESTIONS.search(text)))


def _label_word(word: str) -> str:
    word = word.lower().rstrip(".")
    return {"fig": "figure", "tab": "table"}.get(word, word)


def _pages(named: Sequence[PageName]) -> tuple[int, ...]:
    """1-based pages, those named by place from the start among them."""
    found = [int(item) for each in named for item in each.items if item.isdigit()]
    found += [each.place + 1 for each in named if each.place is not None and each.place >= 0]
    return tuple(dict.fromkeys(found))


def _listing(core: str, text: str) -> bool:
    return bool(
        re.search(
            r"^(?:list|enumerate|name|mention)\b|\blist (?:all|the|them|out|down|each|every)\b|\benumerate\b|"
            r"\bin (?:a |the )?list format\b|a list like|should be a list|as a list|"
            r"\brespectively\b|\b(?:what|which|who) are (?:all )?(?:the )?(?:\w+ ){0,3}\w+s\b|\bname (?:all|the "
            r"(?:two|three|four|five))",
            text,
        )
    ) and not re.search(r"^how (?:many|much)\b(?!.*respectively)", core)


def _digits(text: str) -> int | None:
    match = re.search(r"(one|two|three|four|\d)\s+(?:decimals?|digits)", text)
    if not match:
        return 2 if re.search(r"nearest cent\b", text) else None
    return {"one": 1, "two": 2, "three": 3, "four": 4}.get(match[1]) or (int(match[1]) if match[1].isdigit() else None)


def _scale(text: str) -> float | None:
    match = re.search(r"\b(?:in|of|as)\s+(?:usd\s+|us\$\s*|\$\s*)?(thousands?|millions?|billions?)\b", text)
    return {"thousand": 1e3, "million": 1e6, "billion": 1e9}[match[1].rstrip("s")] if match else None


_RATIO = re.compile(
    r"\b(?:\w+[- ])?(?:ratio|turnover|margin|coverage|dpo|dso|dio|return on (?:equity|assets?|capital)|roe|roa|"
    r"cash conversion cycle|"
    r"effective tax (?:rate|ratio)|days (?:payable|sales|inventory)|growth rate|year[- ]over[- ]year|yoy|working "
    r"capital)\b"
)
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("stands_for", r"\bstands? for\b|\b(?:abbreviation|acronym|full (?:form|name)|abbreviated)\b"),
    ("difference", r"\b(?:difference|gap)\b.*\b(?:between|of|in)\b|\bhow (?:much|many) (?:\w+ ){0,3}?(?:more|"
                   r"less|greater|higher|lower|fewer|larger|smaller)\b|"
                   r"\bby (?:how (?:much|many)|what percent)|\b(?:sum|average|mean) of\b|\b(?:increase|decrease|change|"
                   r"decline|grow|growth)\w* (?:\w+ ){0,6}(?:from|between)\b|\bcombined\b"),
    ("compare", r"\b(?:which|what|who)\b.*\b(?:most|least|highest|lowest|largest|smallest|biggest|greatest|"
                r"fewest|longest|shortest|best|worst|higher|lower|greater|larger|smaller|maximum|minimum|fastest|"
                r"more|less|fewer)\b"),
    ("percent", r"\b(?:what|which) (?:is |was |are |were |the )*(?:percent|percentage|proportion|share|"
                r"fraction)\b|\bhow many percent|\bpercentage of\b|\bwhat (?:\w+ )?rate\b|何パーセント|百分之|比例"),
    ("count", r"\bhow many\b|\b(?:the|total|what) number of\b|^(?:count|number of)\b|"
              r"多少(?:人|个|股|名|家|次)|几(?:个|人|次|家|名)|何(?:個|人|台|回|件|社|本|枚|名|万|種類|ページ)|いくつ"),
    ("year", r"\b(?:what|which) (?:\w+ )?year\b"),
    ("number", r"\b(?:what|which)\b.* \w+ing time\b|\b(?:time|voltage|pressure) (?:frame|span|range|level|limit)s?\b|"
               r"\brange of (?:time|voltage|pressure)s?\b|\bduration\b"),
    ("date", r"^when\b|\bwhen (?:was|were|did|is|does|will)\b|\b(?:what|which|on what) (?:is the |was the "
             r")?(?:\w+ ){0,2}(?:date|day|month|deadline|time)\b|哪一天|什么时候|いつ"),
    ("money", r"\bhow much\b|\b(?:what|which) (?:is|was|are|were|amount)\b.*\b(?:price|cost|fee|revenue|income|"
              r"amount|expense|salary|value of|profit|sales|assets|liabilit|cash|dividend|lease)\w*\b|多少元|多少万元"),
    ("person", r"^who\b|\bwho (?:is|was|are|were|did|wrote|has)\b|谁|誰"),
    ("place", r"^where\b|\bwhere (?:is|was|are|were|did|does|can|should)\b"),
    ("explain", r"^(?:why|how)\b|\b(?:explain|describe|discuss|summari[sz]e|purpose of|reason)\b|\bhow (?:does|"
                r"do|did|should|can|is|are)\b"),
    ("number", r"\bwhat (?:score|accuracy|performance|value|percentage)\b|\b(?:what|which) (?:is|was|are|were) "
               r"(?:the )?(?:\w+ ){0,4}(?:number|score|value|size|length|width|height|weight|temperature|"
               r"speed|population|performance|frequency|voltage|current|distance|capacity|accuracy|age|amount|"
               r"quantity|ratio|power|rate|total)\b|\bhow (?:long|far|old|tall|high|big|large|fast|deep|heavy|wide)\b"),
)  # fmt: skip


def _kind(core: str, text: str, structural: bool) -> Kind:
    """The first rule that fits decides; the order of the rules is from narrow to wide."""
    if structural:
        return "count"
    if re.search(r"\b(?:answer|directly answer)\b.*\byes\b.*\bno\b", text) or (
        _YES_NO.match(core) and not re.match(r"^do not\b", core)
    ):
        return "yes_no"
    if _RATIO.search(core) and re.search(r"\b(?:fy|fiscal|19\d\d|20\d\d|year)", core):
        return "formula"
    if re.match(r"(?:which|who)\b.*\b(?:most|least|highest|lowest|largest|smallest|biggest|greatest|fewest)\b", core):
        return "compare"
    for kind, pattern in _KINDS:
        if re.search(pattern, core):
            return kind
    return "list" if _listing(core, text) else "phrase"
