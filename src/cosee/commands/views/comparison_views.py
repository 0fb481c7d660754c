"""How a comparison of two runs or methods looks in a terminal."""

from __future__ import annotations

from rich.console import Console

from cosee.artifacts.results.comparison import DIRECTIONS, Flip, MethodComparison, RunComparison
from cosee.commands.console import line, plain, show_table
from cosee.commands.views.document_views import View
from cosee.commands.views.thresholds import LEFT_OUT_QUESTIONS, LINE, QUESTION
from cosee.report.charts import signed
from cosee.text.counts import counted

ARROWS = {"right_to_wrong": "right -> wrong", "wrong_to_right": "wrong -> right"}


def show_comparisons(made: RunComparison, console: Console, view: View) -> None:
    """Each comparison: figures, settings, stages at fault, flips."""
    for comparison in made.comparisons:
        _show(comparison, console, view.limit)
        line(console)


def _show(made: MethodComparison, console: Console, limit: int) -> None:
    names = [f"{side.run}:{side.method}" for side in (made.first, made.second)]
    line(console, f"{names[0]} against {names[1]}", "bold")
    line(console, f"{counted(made.questions, 'question')} of {counted(made.documents, 'document')} that both answered")
    for side, name in zip((made.first, made.second), names, strict=True):
        if side.only:
            line(console, f"{side.only} more that only {name} answered are left out")
    if made.changed_questions:
        some = ", ".join(made.changed_questions[:LEFT_OUT_QUESTIONS])
        line(console, f"{len(made.changed_questions)} left out: their words or gold differ between the runs ({some} …)")
    if made.first.accuracy is not None and made.second.accuracy is not None:
        spread = made.paired.interval
        between = f" (95 %: {signed(spread.low)} to {signed(spread.high)})" if spread else ""
        line(
            console,
            f"accuracy {made.first.accuracy:.3f} against {made.second.accuracy:.3f}: difference "
            f"{signed(made.paired.difference)}{between}, McNemar p {made.paired.mcnemar_p or 1.0:.3g}",
        )
    for each in made.settings:
        line(console, f"  {each.setting}: {each.first or 'not set'} | {each.second or 'not set'}", "dim")
    causes = list(dict.fromkeys([*made.first.causes, *made.second.causes]))
    rows = [
        (
            cause.replace("_", " "), made.first.causes.get(cause), made.second.causes.get(cause),
            *(made.faults[direction].get(cause) for direction in DIRECTIONS),
        )
        for cause in sorted(causes)
    ]  # fmt: skip
    short = [made.first.method, made.second.method] if made.first.run == made.second.run else names
    columns = ("what became of it", f"{short[0]}#", f"{short[1]}#", *(f"{ARROWS[each]}#" for each in DIRECTIONS))
    show_table(console, "all shared questions, and the flips by the stage at fault of the wrong side", columns, rows)
    shown = made.flips[:limit]
    line(console, f"{counted(len(made.flips), 'question flips', 'questions flip')}", "bold")
    for flip in shown:
        _show_flip(made, flip, console)
    if len(shown) < len(made.flips):
        line(console, f"… {len(made.flips) - len(shown)} more (--limit 0 shows all, --json FILE writes them)", "dim")
    for note in made.notes:
        line(console, f"note: {note}")


def _show_flip(made: MethodComparison, flip: Flip, console: Console) -> None:
    line(console)
    line(console, f"{flip.question_id}  {ARROWS[flip.direction]}: {flip.fault.cause.replace('_', ' ')}", "bold")
    line(console, f"  {plain(flip.question, QUESTION)}")
    names = (made.first.method, made.second.method)
    names = names if names[0] != names[1] else (made.first.run, made.second.run)
    width = max(4, *map(len, names))
    for name, answer in (("gold", flip.gold), (names[0], flip.first.answer), (names[1], flip.second.answer)):
        line(console, f"  {name:{width}}  {plain(answer, LINE)}")
    line(console, f"  {flip.fault.because}", "dim")
