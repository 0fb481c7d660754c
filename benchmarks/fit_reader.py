"""Fit the reader that needs no model: what a question wants, which passage, which answer, and how sure it is.

``python -m benchmarks.fit_reader --qa DIR --json OUT`` writes ``src/cosee/reader/weights.json`` and, for benchmarks,
``reader_folds.json``: linear models fitted one on the other. Two multinomial logits go from a question's words to the
shape of its answer, and to the reading that finds it; a conditional logit ranks the places of the evidence; another
ranks the candidates of the readings, with "no answer" as one more; a logit says how far to trust the best of them. A
model is fitted on what the ones before it, fitted without a document's fold, say of the document. The log odds of
trust are evened by those of documents that the trust was not fitted on. Another logit on the same grounds says how
likely the question has no answer: the reader abstains where that is likelier than that its answer is right. Weights are
written for all documents and without each fold of them, with which the benchmarks answer the documents of the fold: no
model that reads a document has seen its fold. Each document counts as the square root of its questions.
"""

from __future__ import annotations

import gc
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy
from scipy.optimize import minimize

from benchmarks.common import argument_parser, chosen, print_table, write_report
from benchmarks.folds import READER, document_key
from benchmarks.prepare import add_options, prepare_as_asked
from benchmarks.reader_evidence import Recorded, recorded
from cosee.agents.short_answer import short_answer
from cosee.artifacts import files
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.evaluation.scorers.accuracy import score_text
from cosee.question.wording import question_features, shape_of
from cosee.reader import weights as table
from cosee.reader.answer import find_places, grounds, is_unknown, may_be_asked_for, rank_answers, read
from cosee.reader.asked import Asked
from cosee.reader.evidence import Place, RankedPlace
from cosee.reader.readings import readings
from cosee.reader.weights import Weights
from cosee.text.content_words import terms, words

FOLD_COUNT = 6
LEAST_DOCUMENTS = 4
"""Documents that a word of a question must occur in to have a weight."""
RIDGE = {"words": 0.003, "passage": 0.001, "answer": 0.003, "trust": 0.01}
# General knowledge: question words of some languages, and what they ask for.
ASKING = {
    "date": "when, what year, which year, what date, wann, quand, cuándo, quando, いつ, 何年, 哪年, 何时",
    "name": "who, where, whose, wer, wo, qui, où, quién, dónde, 谁, 哪里, 誰, どこ",
    "count": "how many, wie viele, combien de, cuántos, cuántas, quanti, 几个, 何個, 何人",
    "number": "how much, wie viel, 多少, いくら",
    "percent": "what percentage, what percent, wie viel prozent, quel pourcentage",
}
UNANSWERABLE = 0.25
"""Share of questions without an answer among those that are asked: that of MMLongBench-Doc, about."""
ASKING_COUNTS = 3.0
"""Questions that each of them counts for."""


@dataclass(frozen=True)
class Choice:
    """A question's candidates: their features, how right each is, and the question as asked."""

    recorded: Recorded
    asked: Asked
    candidates: list[Any]
    right: numpy.ndarray
    gold: numpy.ndarray
    listed: list[RankedPlace]


def folds_of(rows: Sequence[Recorded], count: int) -> dict[str, int]:
    """Document -> fold. A family (``families``) is in one fold; the one with most questions comes first, into the fold
    that has fewest of its source's, then fewest of all, so that every fold leaves some of each source to learn from."""
    family = families(rows)
    asked: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        asked[family[row.question.doc_id]][row.question.source_dataset or ""] += 1
    held = [Counter[str]() for _ in range(count)]
    found: dict[str, int] = {}
    for name in sorted(asked, key=lambda each: (-asked[each].total(), each)):
        (source, _), *_ = asked[name].most_common(1)
        found[name] = min(range(count), key=lambda fold: (held[fold][source], held[fold].total(), fold))
        held[found[name]].update(asked[name])
    return {document: found[name] for document, name in family.items()}


def families(rows: Sequence[Recorded]) -> dict[str, str]:
    """Document -> family: what ids have before the first underscore, behind what all ids of a source begin with."""
    sources: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        sources[row.question.source_dataset or ""].add(row.question.doc_id)
    found: dict[str, str] = {}
    for documents in sources.values():
        parts = {document: document.lower().split("_") for document in documents}
        while (
            len(documents) > 1 and len({each[0] for each in parts.values()}) == 1 and min(map(len, parts.values())) > 1
        ):
            parts = {document: each[1:] for document, each in parts.items()}
        found |= {document: each[0] for document, each in parts.items()}
    return found


def shares(rows: Sequence[Recorded]) -> numpy.ndarray:
    """What each question counts: each document as the square root of its questions; 1 on average."""
    asked = Counter(row.question.doc_id for row in rows)
    found = numpy.array([asked[row.question.doc_id] ** -0.5 for row in rows])
    return found / found.mean() if len(found) else found


# --- what a question wants


def gold_text(question: Question) -> str:
    """The gold answer as text."""
    return repr(question.answer) if isinstance(question.answer, list) else str(question.answer)


def fit_words(
    rows: Sequence[Recorded], targets: Sequence[Mapping[str, float]], known: Mapping[str, str] | None = None
) -> dict[str, dict[str, float]]:
    """A multinomial logit from the words that several documents' questions have to ``targets``: shares of classes.

    ``known`` are further questions, in a word or two, with their class.
    """
    known = known or {}
    classes = sorted({name for each in targets for name in each})
    seen: dict[str, set[str]] = defaultdict(set)
    listed = [question_features(row.question.question) for row in rows]
    for row, features in zip(rows, listed, strict=True):
        for name in features:
            seen[name].add(row.question.doc_id)
    listed += [words(text) for text in known]
    often = {name for name, documents in seen.items() if len(documents) >= LEAST_DOCUMENTS}
    names = sorted(often.union(*listed[len(rows) :]))
    place = {name: at for at, name in enumerate(names)}
    matrix = numpy.zeros((len(listed), len(names) + 1))
    matrix[:, -1] = 1
    for at, features in enumerate(listed):
        for name in features:
            if name in place:
                matrix[at, place[name]] = 1
    shown = [*targets, *({each: 1.0} for each in known.values())]
    gold = numpy.array([[each.get(name, 0.0) for name in classes] for each in shown])
    counts = numpy.append(shares(rows), numpy.full(len(known), ASKING_COUNTS)) / len(rows)

    def loss(flat: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        w = flat.reshape(len(classes), -1)
        raw = matrix @ w.T
        raw -= raw.max(1, keepdims=True)
        p = numpy.exp(raw)
        p /= p.sum(1, keepdims=True)
        fit = -(counts * (gold * numpy.log(p + 1e-12)).sum(1)).sum()
        slope = ((p - gold) * counts[:, None]).T @ matrix
        slope[:, :-1] += RIDGE["words"] * w[:, :-1]
        return fit + RIDGE["words"] / 2 * (w[:, :-1] ** 2).sum(), slope.ravel()

    start = numpy.zeros(len(classes) * (len(names) + 1))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    found = found.reshape(len(classes), -1)
    tables = {
        each: dict(zip([*names, "bias"], found[at].round(4).tolist(), strict=True)) for at, each in enumerate(classes)
    }
    return {each: {name: value for name, value in table.items() if value} for each, table in tables.items()}


def fit_shapes(rows: Sequence[Recorded]) -> dict[str, dict[str, float]]:
    """From the words of answerable questions to the shape of the answer."""
    rows = [row for row in rows if not row.question.unanswerable]
    known = {word: shape for shape, listed in ASKING.items() for word in listed.split(", ")}
    return fit_words(rows, [{shape_of(gold_text(row.question)): 1.0} for row in rows], known)


# --- which place


def place_labels(question: Question, listed: Sequence[Place]) -> numpy.ndarray:
    """1 for places on gold pages that hold the answer; where none does, all places on gold pages."""
    pages = set(question.evidence_pages)
    golds = [gold for gold in [question.answer, *question.answer_alt] if gold]
    parts = [str(part) for gold in golds for part in (gold if isinstance(gold, list) else [gold])]
    keys = [_key(part) for part in parts if _key(part)]
    long = [set(terms(part)) for part in parts if len(words(part)) > 4]
    holds = numpy.zeros(len(listed))
    there = numpy.array([float(place.passage.page in pages) for place in listed])
    for at, place in enumerate(listed):
        if there[at]:
            key = f" {_key(place.quote)} "
            holds[at] = any(f" {each} " in key for each in keys) or any(
                len(each & place.stems) >= 0.5 * len(each) for each in long if each
            )
    return holds if holds.any() else there


def _key(text: str) -> str:
    return " ".join(word.replace(",", "").strip("%") for word in words(text) if word != "%")


class Segments:
    """Rows of features in groups, one a question."""

    def __init__(self, groups: Sequence[Sequence[Mapping[str, float]]], names: Sequence[str] | None = None) -> None:
        seen = sorted({name for group in groups for each in group for name in each}) if names is None else list(names)
        self.names = seen
        place = {name: at for at, name in enumerate(seen)}
        total = sum(map(len, groups))
        self.matrix = numpy.zeros((total, len(seen)), dtype=numpy.float32)
        self.group = numpy.repeat(numpy.arange(len(groups)), [len(group) for group in groups])
        self.count = len(groups)
        at = 0
        for group in groups:
            for each in group:
                for name, value in each.items():
                    if name in place:
                        self.matrix[at, place[name]] = value
                at += 1

    def only(self, kept: numpy.ndarray) -> Segments:
        """The groups that are kept."""
        part = object.__new__(Segments)
        rows = kept[self.group]
        part.names, part.count = self.names, int(kept.sum())
        part.matrix, part.group = self.matrix[rows], (numpy.cumsum(kept) - 1)[self.group[rows]]
        return part


def fit_conditional(
    data: Segments, good: numpy.ndarray, counts: numpy.ndarray, ridge: float, none: bool
) -> dict[str, float]:
    """The weights that make the good rows of each group likeliest; with ``none``, none is a choice of log odds 0."""
    scale = numpy.maximum(data.matrix.std(0), numpy.abs(data.matrix).max(0) / 3).astype(
        numpy.float64
    )  # rare ones cost more
    scale[scale == 0] = 1.0
    matrix = (data.matrix / scale).astype(numpy.float32)
    group, size = data.group, data.count
    any_good = numpy.bincount(group, good, size) > 0
    used = counts * (numpy.ones(size) if none else any_good)
    used /= used.sum()

    def loss(w: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        raw = (matrix @ w[:-1].astype(numpy.float32)).astype(numpy.float64) + (w[-1] if none else 0.0)
        top = numpy.zeros(size) if none else numpy.full(size, -numpy.inf)
        numpy.maximum.at(top, group, raw)
        top[~numpy.isfinite(top)] = 0
        e = numpy.exp(raw - top[group])
        total = numpy.bincount(group, e, size) + (numpy.exp(-top) if none else 1e-300)
        hit = numpy.bincount(group, e * good, size)
        if none:
            hit = numpy.where(any_good, hit, numpy.exp(-top))
        hit = numpy.where(any_good | none, hit, total)
        value = -(used * (numpy.log(hit + 1e-300) - numpy.log(total))).sum()
        p = e / total[group]
        q = numpy.where(any_good[group], e * good / (hit[group] + 1e-300), 0.0)
        slope = used[group] * (p - q)
        return value + ridge / 2 * (w[:-1] ** 2).sum(), numpy.append(
            (slope.astype(numpy.float32) @ matrix).astype(numpy.float64) + ridge * w[:-1], slope.sum() if none else 0.0
        )

    found = minimize(loss, numpy.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    weights = {name: round(float(value), 5) for name, value in zip(data.names, found[:-1] / scale, strict=True)}
    return {**{name: value for name, value in weights.items() if value}, "bias": round(float(found[-1]), 5)}


class PlaceRows:
    """The places of every question with gold pages, with their features."""

    def __init__(self, rows: Sequence[Recorded], shapes: Callable[[str], Weights]) -> None:
        self.groups: list[list[Mapping[str, float]]] = []
        self.good: list[numpy.ndarray] = []
        self.rows: list[Recorded] = []
        for row in rows:
            if row.question.unanswerable or not row.question.evidence_pages:
                continue
            question = row.question
            _, listed, _ = find_places(question.question, row.passages, row.frequencies, shapes(question.doc_id))
            labels = place_labels(row.question, [each.place for each in listed])
            if labels.any():
                self.groups.append([each.features for each in listed])
                self.good.append(labels)
                self.rows.append(row)

    def fit(self, used: set[str]) -> dict[str, float]:
        """The weights of places that make those that hold the answer likeliest, from the documents that are used."""
        kept = [at for at, row in enumerate(self.rows) if row.question.doc_id in used]
        data = Segments([self.groups[at] for at in kept])
        good = numpy.concatenate([self.good[at] for at in kept])
        return fit_conditional(data, good, shares([self.rows[at] for at in kept]), RIDGE["passage"], none=False)


# --- which answer, and how sure


def choices(rows: Sequence[Recorded], weights: Callable[[str], Weights]) -> list[Choice]:
    """Every question's candidates with their scores."""
    found = []
    for row in rows:
        question, fold = row.question, weights(row.question.doc_id)
        asked, listed, rarity = find_places(question.question, row.passages, row.frequencies, fold)
        candidates = [] if is_unknown(asked, rarity) else readings(asked, listed, rarity, row.passages)
        known: dict[str, float] = {}
        for each in candidates:
            if each.text not in known:
                known[each.text] = _right(row.question, each.text)
        right = numpy.array([known[each.text] for each in candidates])
        pages = set(row.question.evidence_pages)
        gold = numpy.array(
            [float(not pages or any(p.passage.page in pages for p in each.places)) for each in candidates]
        )
        found.append(Choice(row, asked, candidates, right, gold, listed))
    return found


def _right(question: Question, text: str) -> float:
    if question.unanswerable:
        return 0.0
    said = short_answer(question.question, text)
    return 0.0 if said == NOT_ANSWERABLE else float(score_text(question, said).value)


def fit_readings(found: Sequence[Choice]) -> dict[str, dict[str, float]]:
    """From a question's words to the groups of readings that hold a right answer, in equal shares, or to none."""
    targets = []
    for each in found:
        groups = {c.group for c, right in zip(each.candidates, each.right, strict=True) if right >= 0.5} or {"none"}
        targets.append(dict.fromkeys(sorted(groups), 1.0 / len(groups)))
    return fit_words([each.recorded for each in found], targets)


class Answers:
    """The candidates of all questions as one matrix, and what the last model makes of any part of them."""

    def __init__(self, found: Sequence[Choice], told: Callable[[str], Weights]) -> None:
        self.used = [each for each in found if each.candidates]
        groups = []
        for each in self.used:
            readings = table.likely(
                told(each.recorded.question.doc_id).reading, question_features(each.recorded.question.question)
            )
            log = {name: math.log(max(0.003, value)) for name, value in readings.items()}
            each.candidates[:] = [
                replace(
                    c,
                    features={
                        **c.features,
                        "reading": log.get(c.group, math.log(0.003)),
                        "none": log["none"],
                    },
                )
                for c in each.candidates
            ]
            groups.append([c.features for c in each.candidates])
        self.data = Segments(groups)
        self.value = numpy.concatenate([each.right for each in self.used])
        self.good = numpy.concatenate(
            [(each.right >= 0.5) * numpy.where(each.gold > 0, 1.0, 0.25) for each in self.used]
        )
        ends = numpy.cumsum([len(group) for group in groups]).tolist()
        self.rows = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def fit(self, kept: Sequence[bool]) -> dict[str, float]:
        """The weights from the questions that are kept."""
        mask = numpy.array(kept)
        data = self.data.only(mask)
        counts = shares([each.recorded for each, keep in zip(self.used, kept, strict=True) if keep])
        found = fit_conditional(data, self.good[mask[self.data.group]], counts, RIDGE["answer"], none=True)
        return found

    def best(self, weights: Mapping[str, float], at: int) -> tuple[dict[str, float], float]:
        """Of a question the grounds of its best answer, and how right that is."""
        rows, each = self.rows[at], self.used[at]
        points = self.data.matrix[rows] @ numpy.array([weights.get(name, 0.0) for name in self.data.names])
        chosen = rank_answers(each.candidates, (points + weights["bias"]).tolist())
        return grounds(chosen), float(each.right[each.candidates.index(chosen[0][1])])


def fit_trust(
    rows: Sequence[Mapping[str, float]], right: numpy.ndarray, counts: numpy.ndarray, ridge: float = RIDGE["trust"]
) -> dict[str, float]:
    """A logit from the grounds of answers to whether they are right."""
    names = sorted({name for row in rows for name in row})
    matrix = numpy.array([[row.get(name, 0.0) for name in names] for row in rows])
    middle, scale = matrix.mean(0), numpy.maximum(matrix.std(0), numpy.abs(matrix).max(0) / 3)
    scale[scale == 0] = 1.0
    matrix = (matrix - middle) / scale
    share = counts / counts.sum()

    def loss(w: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        raw = matrix @ w[:-1] + w[-1]
        value = float((share * (numpy.logaddexp(0, raw) - right * raw)).sum())
        slope = share * (1 / (1 + numpy.exp(-raw)) - right)
        return value + ridge / 2 * float((w[:-1] ** 2).sum()), numpy.append(
            slope @ matrix + ridge * w[:-1], slope.sum()
        )

    found = minimize(loss, numpy.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    each = found[:-1] / scale
    bias = float(found[-1] - each @ middle)
    told = {name: round(float(value), 5) for name, value in zip(names, each, strict=True)}
    return {**{name: value for name, value in told.items() if value}, "bias": round(bias, 5)}


def evening(odds: numpy.ndarray, right: numpy.ndarray) -> tuple[float, float]:
    """What to multiply log odds with, and to add, to make them true, by those of answers that were not fitted on."""
    told = fit_trust([{"odds": each} for each in odds.tolist()], right, numpy.ones(len(odds)), 1e-4)
    return max(0.0, told.get("odds", 0.0)), told["bias"]


def fit_absence(rows: Sequence[Mapping[str, float]], answerable: numpy.ndarray) -> dict[str, float]:
    """A logit from grounds to whether there is no answer, as if ``UNANSWERABLE`` of the questions had none."""
    counts = numpy.where(answerable > 0, (1 - UNANSWERABLE) / answerable.sum(), UNANSWERABLE / (1 - answerable).sum())
    return fit_trust(rows, 1 - answerable, counts)


def fit_all(rows: Sequence[Recorded], note: Callable[[str], None] = lambda text: None) -> dict[str, Weights]:
    """The weights of all documents, and those without each fold."""
    gc.freeze()
    gc.disable()  # the candidates are millions of objects that all stay
    there = folds_of(rows, FOLD_COUNT)
    names: list[int | None] = [None, *range(FOLD_COUNT)]

    def without(*folds: int | None) -> list[Recorded]:
        return [row for row in rows if there[row.question.doc_id] not in folds]

    note("words")
    told = {fold: Weights(fit_shapes(without(fold)), {}, {}, {}, {}, {}) for fold in names}
    note("places")
    rated = PlaceRows(rows, lambda doc: told[there[doc]])
    told = {
        fold: replace(told[fold], passage=rated.fit({doc for doc in there if there[doc] != fold})) for fold in names
    }
    note("candidates")
    found = choices(rows, lambda doc: told[there[doc]])
    folds = {fold: [each for each in found if there[each.recorded.question.doc_id] != fold] for fold in names}
    told = {fold: replace(told[fold], reading=fit_readings(folds[fold])) for fold in names}
    answers = Answers(found, lambda doc: told[there[doc]])
    place = [there[each.recorded.question.doc_id] for each in answers.used]
    answerable = numpy.array([float(not each.recorded.question.unanswerable) for each in answers.used])
    result: dict[str, Weights] = {}
    pairs: dict[frozenset[int | None], dict[str, float]] = {}

    def fitted(key: frozenset[int | None]) -> dict[str, float]:
        if key not in pairs:
            pairs[key] = answers.fit([each not in key for each in place])
        return pairs[key]

    for fold in names:
        note(f"answers without {fold}")
        whole = replace(told[fold], answer=fitted(frozenset({None, fold})))
        kept = [at for at, each in enumerate(place) if each != fold]
        outcomes = [answers.best(fitted(frozenset({fold, place[at]})), at) for at in kept]
        right = numpy.array([value for _, value in outcomes])
        counts = numpy.ones(len(kept))  # what a confidence says, it says of answers, not of documents
        odds = numpy.zeros(len(kept))
        for inner in set(place) - {fold}:
            own = numpy.array([place[at] == inner for at in kept])
            others = fit_trust([outcomes[at][0] for at in numpy.flatnonzero(~own)], right[~own], counts[~own])
            odds[own] = [table.score(others, outcomes[at][0]) for at in numpy.flatnonzero(own)]
        absence = fit_absence([each for each, _ in outcomes], answerable[kept])
        given = numpy.array([may_be_asked_for(each) for each, _ in outcomes])
        given &= odds >= numpy.array([table.score(absence, each) for each, _ in outcomes])
        slope, more = evening(odds[given], right[given])
        trust = {
            name: round(value * slope + more * (name == "bias"), 5)
            for name, value in fit_trust([each for each, _ in outcomes], right, counts).items()
        }
        result["all" if fold is None else str(fold)] = replace(whole, trust=trust, absence=absence)
    return result


# --- the command


def held_out(rows: Sequence[Recorded], weights: Mapping[str, Weights]) -> dict[str, dict[str, float]]:
    """By source, of every question read with the weights without its fold: accuracy, and how often answered."""
    found: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    outer = folds_of(rows, FOLD_COUNT)
    for row in rows:
        question = row.question
        used = weights[str(outer[question.doc_id])]
        told = read(question.question, row.passages, row.frequencies, used)
        said = NOT_ANSWERABLE if told.abstained else short_answer(question.question, told.answer)
        score = float(score_text(question, said).value)
        pages = {quote.page for quote in (*told.quotes, *told.further)} & set(question.evidence_pages)
        line = (score, float(not told.abstained), float(question.unanswerable), float(bool(pages)))
        for group in ("all", question.source_dataset or "unknown"):
            found[group].append(line)
    means: dict[str, dict[str, float]] = {}
    for group, lines in found.items():
        table = numpy.array(lines)
        asked = table[table[:, 2] == 0]
        means[group] = {
            "questions": len(table), "accuracy": table[:, 0].mean(), "constant": table[:, 2].mean(),
            "answered": asked[:, 1].mean() if len(asked) else 0.0,
            "gold_page": asked[:, 3].mean() if len(asked) else 0.0,
        }  # fmt: skip
    return {group: {name: round(float(value), 4) for name, value in each.items()} for group, each in means.items()}


def main() -> int:
    """Fit, measure out of fold, and write the table."""
    parser = argument_parser(__doc__ or "")
    add_options(parser)
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    write(recorded(qa, prepare_as_asked(qa, documents, options)), options.json)
    return 0


def write(rows: Sequence[Recorded], report: Path) -> None:
    """Fit, write the table, and report what it does out of fold."""
    weights = fit_all(rows, lambda text: print(text, file=sys.stderr, flush=True))
    outer = folds_of(rows, FOLD_COUNT)
    figures = held_out(rows, weights)
    made = {"made_by": "python -m benchmarks.fit_reader", "out_of_fold": figures}
    files.write_json(table.TABLE, {**made, "weights": asdict(weights.pop("all"))})
    documents = {document_key(each): str(outer[each]) for each in sorted(outer)}
    files.write_json(
        READER, {**made, "documents": documents, "weights": {fold: asdict(w) for fold, w in weights.items()}}
    )
    names = list(figures["all"])
    print_table(["source", *names], [[group, *(values[name] for name in names)] for group, values in figures.items()])
    flat = {f"{name}.{group}": value for group, values in figures.items() for name, value in values.items()}
    write_report(report, "fit_reader", flat, {"documents": len(outer)})


if __name__ == "__main__":
    raise SystemExit(main())
