"""How an estimate looks in a terminal."""

from __future__ import annotations

from rich.console import Console

from cosee.artifacts.results.estimate import Estimate
from cosee.commands.console import line, show_table


def show_estimate(made: Estimate, console: Console) -> None:
    """Every method's calls, tokens, pictures and money."""
    title = (
        f"run {made.run} with {made.model}: {made.questions} questions, {made.documents} documents, {made.pages} pages"
    )
    if not made.methods:
        line(console, title, "bold")
        line(console, "no document is indexed yet: 'snakemake --cores all --until questions' asks no model for answers")
        return
    columns = ["method", "calls#", "tokens in#", "tokens out#", "pictures#"]
    columns += [f"{made.price.currency}#"] if made.price else []
    rows = []
    for name, method in made.methods.items():
        figures = [method.calls, method.tokens_in, method.tokens_out, method.images]
        money = [] if method.money is None else [method.money.in_words(2)]
        rows.append([name, *(each.in_words() for each in figures), *money])
    show_table(console, title, columns, rows)
    looked = next(iter(made.methods.values())).looked_at
    if looked < made.questions:
        line(console, f"from the prompts of {looked} of {made.questions} questions", "dim")
    if made.unread:
        line(console, f"{made.unread} documents are not indexed yet; their questions count like the others'", "dim")
    line(
        console,
        "likely (lowest to highest); replies that cannot be used are asked for again and are not counted; calls that a "
        "journal holds cost nothing",
        "dim",
    )
