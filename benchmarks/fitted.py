"""Rules that are fitted to one document: patterns and word lists of the source, run over questions one by one.

``python -m benchmarks.fitted --qa FOLDER --json OUT`` runs every alternative of every pattern and every entry of every
word list by itself over the questions, in their own letters and in lower case, and prints those that fire for
questions of one document only, with the place. One is explained where a comment or docstring directly beside the
statement holds ``General knowledge:`` and says what is listed.

Figures: ``rules``, all alternatives and entries examined; ``fitted``, those that fire for one document, unexplained;
``fitted_reader``, the same in the reader.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, print_table, read_qa, write_report
from benchmarks.fitted_patterns import alternatives
from benchmarks.fitted_rules import ListRule, PatternRule, Place, Rules, read_rules
from cosee.artifacts.files import ArtifactError

EXEMPT = ("evaluation/scorers/", "commands/", "pipeline/", "report/", "stages/")
"""The published scorers' own rules are what other systems' figures were made with. The other folders plan, start and
show a run: they read no question and no page, and their lists are names of the program."""
READER = "reader/"
"""Folder of the reader, which is counted apart."""
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Asked:
    """A question as its document's id and its text."""

    document: str
    text: str


@dataclass(frozen=True)
class Finding:
    """A rule that fires for questions of one document only."""

    place: Place
    line: int
    rule: str
    document: str
    questions: int
    reader: bool

    def row(self) -> dict[str, Any]:
        """For the report."""
        return {
            "place": f"{self.place.file}:{self.line}", "constant": self.place.name, "rule": self.rule,
            "document": self.document, "questions": self.questions, "reader": self.reader,
            "general_knowledge": self.place.justified,
        }  # fmt: skip


@dataclass
class Result:
    """What was found, with the number of rules that were tried."""

    rules: int = 0
    findings: list[Finding] = field(default_factory=list)
    silent: list[dict[str, Any]] = field(default_factory=list)


class Questions:
    """The questions, looked at in turns of documents, so that the second document is met soon."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        turns: dict[str, int] = defaultdict(int)
        order: list[tuple[int, Asked]] = []
        for each in asked:
            turns[each.document] += 1
            order.append((turns[each.document], each))
        self.asked = [each for _, each in sorted(order, key=lambda pair: pair[0])]
        self.folded = [each.text.lower().replace("ſ", "s") for each in self.asked]

    def matched(self, pattern: re.Pattern[str], among: Iterable[int] | None = None) -> Iterator[int]:
        """Numbers of the questions, of all or of those given, in which a pattern is found."""
        both = not pattern.flags & re.IGNORECASE
        for number in range(len(self.asked)) if among is None else among:
            if pattern.search(self.asked[number].text) or (both and pattern.search(self.folded[number])):
                yield number

    def only_document(self, numbers: Iterable[int]) -> tuple[str, int] | None:
        """The one document of the questions, with their number; None for none; ("", 0) for several documents."""
        found: str | None = None
        count = 0
        for number in numbers:
            document = self.asked[number].document
            if found is not None and document != found:
                return "", 0
            found, count = document, count + 1
        return None if found is None else (found, count)


def examine(rules: Rules, asked: Iterable[Asked]) -> Result:
    """Run every rule by itself; patterns that do not compile are added to ``rules.not_examined``."""
    questions, result = Questions(asked), Result()
    for pattern in rules.patterns:
        try:
            _examine_pattern(pattern, questions, result)
        except (re.error, RecursionError, AssertionError, IndexError) as error:
            place = f"{pattern.place.file}:{pattern.place.line}"
            rules.not_examined.append({"place": place, "what": pattern.text.value[:120], "why": f"no pattern: {error}"})
    for words in rules.lists:
        _examine_list(words, questions, result)
    result.findings.sort(key=lambda each: (each.place.file, each.line, each.rule))
    return result


def _examine_pattern(rule: PatternRule, questions: Questions, result: Result) -> None:
    """The whole pattern, where it has no alternatives, and each of its own alternatives.

    Alternatives inside one that is a finding belong to it.
    """
    pattern = re.compile(rule.text.value, rule.flags)
    every = alternatives(pattern)
    own = [each for each in every if not rule.text.is_borrowed(each.start, each.end)]
    result.rules += len(own) or not every
    matched = questions.matched(pattern)
    held = list(matched) if own else []
    verdict = questions.only_document(held if own else matched)
    if verdict is None or verdict[0]:
        _note(rule.place, rule.place.line, rule.text.value, verdict, result)
        if verdict is not None:
            return
    reported: list[tuple[int, int]] = []
    for each in own:
        if any(start <= each.start and each.end <= end for start, end in reported):
            continue
        verdict = None
        if each.apart or held:
            flags = pattern.flags if "(?" in each.variant else rule.flags
            alone = re.compile(each.variant, flags)
            verdict = questions.only_document(questions.matched(alone, None if each.apart else held))
        if verdict is not None and verdict[0]:
            reported.append((each.start, each.end))
        _note(rule.place, rule.place.line_of(each.text), each.text, verdict, result)


def _examine_list(rule: ListRule, questions: Questions, result: Result) -> None:
    """Every entry as a whole word or phrase, or as the beginning or end of one."""
    for entry, line in rule.entries:
        folded = " ".join(entry.lower().split()).rstrip(".")
        form = re.escape(folded)
        if not _NO_SPACES.search(folded):
            form = (r"(?<!\w)" if rule.start else "") + form + (r"(?!\w)" if rule.end or not rule.start else "")
        result.rules += 1
        verdict = questions.only_document(questions.matched(re.compile(form)))
        _note(rule.place, line, entry, verdict, result)


def _note(place: Place, line: int, text: str, verdict: tuple[str, int] | None, result: Result) -> None:
    if verdict is None:
        result.silent.append({"place": f"{place.file}:{line}", "constant": place.name, "rule": text})
    elif verdict[0]:
        result.findings.append(_finding(place, line, text, verdict))


def _finding(place: Place, line: int, text: str, verdict: tuple[str, int]) -> Finding:
    return Finding(place, line, text, *verdict, place.file.partition("/")[2].startswith(READER))


def figures(result: Result) -> dict[str, float]:
    """The figures of the report."""
    unexplained = [each for each in result.findings if not each.place.justified]
    return {
        "rules": result.rules,
        "fitted": sum(not each.reader for each in unexplained),
        "fitted_reader": sum(each.reader for each in unexplained),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fitted", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--qa", type=Path, required=True, help="folder with questions.jsonl")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--source", type=Path, default=ROOT / "src" / "cosee", help="folder of a package")
    parser.add_argument("--all", action="store_true", help="also print the rules that fire for no question")
    options = parser.parse_args(arguments)
    try:
        asked = [Asked(each.doc_id, each.question) for each in read_qa(options.qa).questions]
    except ArtifactError as error:
        parser.error(str(error))
    rules = read_rules(options.source, EXEMPT)
    result = examine(rules, asked)
    unexplained = [each.row() for each in result.findings if not each.place.justified]
    header = ("place", "constant", "rule", "document", "questions")
    print_table(header, [[str(row[name])[:80] for name in header] for row in unexplained])
    if options.all:
        print_table(header[:3], [[str(row[name])[:80] for name in header[:3]] for row in result.silent])
    print_table(("not examined", "what", "why"), [list(each.values()) for each in rules.not_examined])
    print_table(("figure", "value"), list(figures(result).items()))
    detail = {
        "questions": len(asked), "findings": unexplained, "not_examined": rules.not_examined,
        "general_knowledge": [each.row() for each in result.findings if each.place.justified],
        "silent": result.silent if options.all else len(result.silent),
    }  # fmt: skip
    write_report(options.json, "fitted", figures(result), detail)
    return 0


if __name__ == "__main__":
    sys.exit(main())
