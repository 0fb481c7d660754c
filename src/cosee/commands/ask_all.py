"""``cosee ask FILE... QUESTION``: every question to every document, one after the other, or to all of them at once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.commands.ask import Answered, answered, print_answer, print_event, settings_of
from cosee.commands.console import line

STANDARD_INPUT = "-"


def ask_all(
    paths: Sequence[Path],
    text: str,
    *,
    method: str,
    model: str | None,
    stream: bool,
    as_json: bool,
    config: Path | None,
    together: bool,
) -> int:
    """Answer and print; returns 0, 1 where the method failed on a question, or 2 where a document could not be used.

    Answers, pages and quotes go to standard output; with ``stream`` that carries the traces alone, one JSON object a
    line, and the answers go to standard error; with ``as_json`` one JSON object an answer. A document that cannot be
    used does not stop the others. ``together``: every question to all documents as one collection.

    Raises:
        ArtifactError: there is no document or no question, or the only document cannot be used.
        ConfigError: the method, the model or the configuration is wrong.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s", force=True)
    settings, questions, documents = settings_of(config), _questions(text), _documents(paths)
    console, status = Console(stderr=stream), 0
    quiet = stream or as_json
    how: dict[str, Any] = {"method": method, "model": model, "quiet": quiet}
    asks: list[tuple[Path | None, Callable[..., Answered]]]
    if together:
        from cosee.commands.ask_together import answered_together

        asks = [(None, partial(answered_together, paths, documents))]
    else:
        asks = [(document, partial(answered, document)) for document in documents]
    several = len(asks) * len(questions) > 1
    found: dict[str, list[tuple[Path | None, Prediction]]] = {question: [] for question in questions}
    for document, ask in asks:
        for question in questions:
            if several and not as_json:
                line(console, question if document is None else f"{document}: {question}", "dim")
            try:
                answer = _with_trace_printed(stream, partial(ask, question, settings, **how))
            except ArtifactError as error:
                if len(asks) == 1:
                    raise
                sys.stderr.write(f"cosee: {error}\n")
                status = 2
                break
            if as_json:
                _print_json(document, question, answer)
            else:
                print_answer(console, answer.answer, answer.trace)
            if several and not as_json:
                line(console)
            found[question].append((document, answer.answer))
            status = max(status, int(answer.answer.status == "failed"))
    if len(asks) > 1 and not as_json:
        _print_surest(console, found)
    return status


def _with_trace_printed(stream: bool, ask: Callable[..., Answered]) -> Answered:
    """What ``ask`` answers; with ``stream`` the trace is printed as it comes."""
    streamed: list[TraceEvent] = []

    def listener(event: TraceEvent) -> None:
        streamed.append(event)
        if stream:
            print_event(event)

    found = ask(listener=listener)
    if stream and not streamed:  # answered before: its trace is told from the file
        for event in load_trace(found.trace):
            print_event(event)
    return found


def _documents(paths: Sequence[Path]) -> list[Path]:
    """The files, and of folders the documents below them in order of path, each once."""
    return list(dict.fromkeys(document for path in paths for document in _documents_below(path)))


def _documents_below(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    from cosee.datasets.folder import documents_in

    found, problems = documents_in(path)
    for problem in problems:
        sys.stderr.write(f"cosee: {path / problem.where}: {problem.message}\n")
    yield from found.values()


def _questions(text: str) -> list[str]:
    """The question, or with ``-`` every line of standard input that is not empty, each once."""
    if text != STANDARD_INPUT:
        return [text]
    lines = sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
    questions = list(dict.fromkeys(each.strip() for each in lines if each.strip()))
    if not questions:
        raise ArtifactError("ask: standard input holds no question; write one a line")
    return questions


def _print_json(document: Path | None, question: str, found: Answered) -> None:
    row: dict[str, Any] = found.answer.model_dump(
        mode="json",
        include={"status", "reason", "exit_reason", "answer", "answer_long", "abstained", "confidence", "support",
                 "method", "model"},
    )  # fmt: skip
    row |= {"question": question, "trace": str(found.trace)}
    if document is None:
        row |= {"documents": found.answer.documents, "unread": found.answer.unread}
        row["pages"] = sorted([support.doc_id, support.page] for support in found.answer.support)
    else:
        row["document"] = str(document)
        row["pages"] = sorted({support.page for support in found.answer.support})
    sys.stdout.write(files.canonical_json(row) + "\n")
    sys.stdout.flush()


def _print_surest(console: Console, found: dict[str, list[tuple[Path | None, Prediction]]]) -> None:
    """For each question, print the document whose answer has the highest confidence; of several alike the first."""
    for question, answers in found.items():
        given = [(document, each) for document, each in answers if each.status == "ok" and not each.abstained]
        if given:
            document, best = max(given, key=lambda pair: pair[1].confidence or 0.0)
            line(console, f"surest: {best.answer} ({document}){f': {question}' if len(found) > 1 else ''}", "bold")
