"""What became of a question, in a sentence made from the attribution: which step lost it, what was taken for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.metrics import Cause
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.attribution import cause, is_right
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers.accuracy import read_yes_no
from cosee.evaluation.scorers.numbers import read_number
from cosee.question.form import answer_form
from cosee.report.thresholds import GOLD_PAGES_NAMED

NodeType = Callable[[str], str]
"""Node id -> the type of the node; empty for one that is not in the tree."""

PLACES = {
    "section": "a heading", "paragraph": "a paragraph", "list": "a list", "image": "a figure", "table": "a table",
    "equation": "an equation", "caption": "a caption", "footnote": "a footnote", "code": "a listing",
    "toc": "the table of contents",
}  # fmt: skip


def question_verdict(results: Mapping[str, QuestionResult], node_type: NodeType) -> str:
    """One sentence on a question: how many methods are right, and why most of the others are not.

    Methods that were given gold fields, and those that answer without looking, are left out where there are others.
    """
    looked = {name: result for name, result in results.items() if _looked(result)} or dict(results)
    scored = {name: result for name, result in looked.items() if result.scored}
    if not scored:
        answered = sum(result.answered for result in looked.values())
        return f"No gold answer is known; {_share_of_methods(answered, len(looked))} gave an answer."
    wrong = {name: result for name, result in scored.items() if not is_right(result)}
    right = len(scored) - len(wrong)
    if not wrong:
        return {1: "The method is right.", 2: "Both methods are right."}.get(right, f"All {right} methods are right.")
    told = {name: method_verdict(result, node_type) for name, result in wrong.items()}
    why, times = Counter(told.values()).most_common(1)[0]
    some = "" if times == len(wrong) else f"; {times} of {len(wrong)}"
    if len(scored) == 1:
        return f"{why[:1].upper()}{why[1:]}."
    if not right:
        return f"No method is right{some}: {why}."
    who = next(iter(wrong)) if len(wrong) == 1 else f"of the others {times if some else 'all'}"
    return f"{_share_of_methods(right, len(scored))} {'is' if right == 1 else 'are'} right; {who}: {why}."


def method_verdict(result: QuestionResult, node_type: NodeType) -> str:
    """What became of one scored answer: the step that lost it, and what was taken for what; without a full stop."""
    found = cause(result)
    prediction = result.prediction
    if found == "right":
        missed = result.cited is not None and result.cited[1] == 0.0
        return "right, though its cited pages miss every gold page" if missed else "right"
    if found == "failed" or prediction is None:
        return f"there is no answer ({result.status})"
    step = _step(found, result)
    if result.abstained:
        return f"{step}; no answer was given" if step else "an answer can be given, and none was"
    return "; ".join(filter(None, [step, _confusion(result.question, prediction, node_type)]))


def _looked(result: QuestionResult) -> bool:
    prediction = result.prediction
    return prediction is None or (
        not prediction.uses_gold and (prediction.usage.calls > 0 or prediction.status != "ok")
    )


def _share_of_methods(count: int, total: int) -> str:
    return f"{count or 'none'} of {total} methods" if total > 1 else "the method" if count else "no method"


def _step(found: Cause, result: QuestionResult) -> str:
    question, prediction = result.question, result.prediction
    seen = set((prediction.read_pages or ()) if prediction else ())
    if found == "not_retrieved" and not seen and not (prediction and prediction.retrieved_pages):
        return "no page was looked at"
    gold = sorted(set(question.evidence_pages))
    if found == "scorer":
        return "another scorer calls the answer right"
    if found == "answered_unanswerable":
        return "the document does not hold the answer"
    if found == "extracted_wrong":
        return "the gold answer stands in the explanation or its quotes"
    if found == "pages_unknown":
        return ""
    if found == "read_not_reasoned":
        return f"{_gold_pages(gold)} read"
    missing = [page for page in gold if page not in seen] or gold
    return f"{_gold_pages(missing)} {'found, but not read' if found == 'retrieved_not_read' else 'not found'}"


def _gold_pages(pages: Sequence[int]) -> str:
    if len(pages) == 1:
        return f"gold page {pages[0]} was"
    named = ", ".join(map(str, pages[:GOLD_PAGES_NAMED]))
    more = f" and {len(pages) - GOLD_PAGES_NAMED} more" if len(pages) > GOLD_PAGES_NAMED else ""
    return f"gold pages {named}{more} were"


def _confusion(question: Question, prediction: Prediction, node_type: NodeType) -> str:
    """``a number in a heading on page 4 was taken for the count``."""
    given = prediction.answer.strip()
    if read_yes_no(given) is not None:
        return f"“{given}” is the wrong answer"
    what = "a number" if read_number(given) is not None else "a list" if given.startswith("[") else "another text"
    support = next(iter(prediction.support), None)
    if support is None:
        return f"{what} without evidence was taken for {_asked(question)}"
    place = PLACES.get(node_type(support.node_id or ""), "")
    page = "" if support.page in question.evidence_pages else f" on page {support.page}"
    return f"{what}{f' in {place}' if place else ''}{page} was taken for {_asked(question)}"


def _asked(question: Question) -> str:
    form = answer_form(question.question)
    if form == "count":
        return "the count"
    if form == "list" or question.answer_format == "List":
        return "the list"
    return "the number" if question.answer_format in ("Int", "Float") else "the answer"
