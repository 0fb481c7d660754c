"""What each switch of the search does to the pages that a reader is given, and to their recall.

``python -m benchmarks.switches --qa DIR --json OUT``. Each switch is turned the other way from the default settings,
alone; both rankings are made with weights that were not fitted on the document. ``prompts`` is the share of questions
whose pages given (``pages: auto``, in order) are others. Differences are those of the default less the other way, with
95 % bootstrap intervals over documents, paired by question: a switch whose interval is above 0 gains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common import argument_parser, chosen, print_table, write_report
from benchmarks.page_curve import need_of
from benchmarks.page_folds import unseen_weights
from benchmarks.prepare import Prepared, prepare
from benchmarks.retrieval import RESAMPLES, SEED, measures, ranked
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.evaluation.intervals import bootstrap_mean
from cosee.evaluation.retrieval_metrics import score_pages
from cosee.retrieval.page_chances import enough
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever
from cosee.retrieval.switches import SWITCHES as AT_LOAD

SWITCHES = (
    "rewriting", "finance", "named_places", "question_parts", "second_pages", "page_views", "rerank", "expansion",
    "sections", "section_variants", "ocr",
)  # fmt: skip
CHANNELS = ("dense", "sparse")
MEASURES = ("recall@1", "recall@5", "complete.single", "complete.multi", "pages")


def others() -> dict[str, RetrievalSettings]:
    """Switch -> the default settings with it turned the other way; ``graph`` is called ``expansion`` there."""
    default = RetrievalSettings()
    found = {name: default.model_copy(update={name: not getattr(default, name)}) for name in SWITCHES}
    left = {name: [each for each in CHANNELS if each != name] for name in CHANNELS}
    return found | {name: default.model_copy(update={"channels": channels}) for name, channels in left.items()}


def judged(question: Question, found: Ranking) -> tuple[dict[str, float], list[int]]:
    """The measures of a ranking that the question has, and the pages given."""
    given = found.pages[: enough(found.page_chances) or 5]
    any_of = question.evidence_mode == "any"
    complete = score_pages(given, question.evidence_pages, [10], any_of=any_of).all_gold[10]
    values = measures(question, found.pages)
    kept = {name: values[name] for name in ("recall@1", "recall@5")}
    return kept | {f"complete.{need_of(question)}": complete, "pages": float(len(given))}, given


def run_document(asked: Sequence[Question], prepared: Prepared) -> dict[str, dict[str, Ranking]]:
    """``default`` or switch -> question id -> ranking."""
    tree = DocTree.load(prepared.doc.data / "doctree.mm.json")
    weights = unseen_weights(prepared.doc.doc_id)
    loaded = Retriever.load(tree, prepared.doc.index, RetrievalSettings(), weights)
    found = {"default": ranked(loaded, asked)}
    for name, settings in others().items():
        retriever = (
            Retriever.load(tree, prepared.doc.index, settings, weights)
            if name in AT_LOAD
            else loaded.with_settings(settings)
        )
        found[name] = ranked(retriever, asked)
    return found


def difference(values: Mapping[str, Sequence[tuple[float, str]]], name: str) -> dict[str, Any] | None:
    """The mean of a measure's differences with its interval."""
    gaps = values.get(name, [])
    if not gaps:
        return None
    found = bootstrap_mean([gap for gap, _ in gaps], [owner for _, owner in gaps], resamples=RESAMPLES, seed=SEED)
    mean = sum(gap for gap, _ in gaps) / len(gaps)
    return {"difference": round(mean, 6), "interval": [found.low, found.high] if found else None}


def main() -> int:
    """Run and print."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--precision", default="float32", help="as index.precision")
    parser.add_argument(
        "--any-code", action="store_true", help="use artifacts in the work folder whatever code made them"
    )
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare(qa, documents, options.work, precision=options.precision, any_code=options.any_code)
    gaps: dict[str, dict[str, list[tuple[float, str]]]] = {name: {} for name in others()}
    changed: dict[str, list[bool]] = {name: [] for name in gaps}
    for doc_id in (each for each in documents if prepared[each].failure is None):
        asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
        found = run_document(asked, prepared[doc_id])
        for question in asked:
            default, given = judged(question, found["default"][question.question_id])
            for name in gaps:
                other, theirs = judged(question, found[name][question.question_id])
                changed[name].append(given != theirs)
                for measure, value in default.items():
                    gaps[name].setdefault(measure, []).append((value - other[measure], doc_id))
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {}
    rows: list[list[str | float | int | None]] = []
    for name, values in gaps.items():
        detail[name] = {measure: difference(values, measure) for measure in MEASURES}
        figures[f"prompts.{name}"] = sum(changed[name]) / max(1, len(changed[name]))
        figures |= {f"{measure}.{name}": each["difference"] for measure, each in detail[name].items() if each}
        state = "on" if name in CHANNELS or getattr(RetrievalSettings(), name) else "off"
        rows.append(
            [f"{name} ({state})", figures[f"prompts.{name}"], *(_cell(detail[name][each]) for each in MEASURES)]
        )
    print("The default less the other way: difference and paired 95 % interval over documents")
    print_table(["switch", "prompts", *MEASURES], rows)
    write_report(options.json, "switches", figures, {"documents": len(documents), "differences": detail})
    return 0


def _cell(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return ""
    low, high = entry["interval"] or (float("nan"), float("nan"))
    return f"{entry['difference']:+.3f} ({low:+.3f} to {high:+.3f})"


if __name__ == "__main__":
    raise SystemExit(main())
