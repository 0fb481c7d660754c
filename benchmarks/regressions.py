"""Which documents fell since the figures that were accepted: for use before and after each change.

python -m benchmarks.regressions --qa DIR --parse DIR --json OUT [--parts PART ...] [--documents N]
    [--accept [--reason WHY] [--only DOCUMENT ...]]

``benchmarks/accepted/<part>.json`` holds the accepted figures of each document. A document fell where one of its
figures is lower by more than 0.02; figures that are means over questions (pages, answers) fall only in documents with
10 questions or more, and by more than one question. A document that could be measured when it was accepted and cannot
be now fell, whatever its size; so did one that is no longer there. Where the documents with fewer questions fell
together, as if they were one, a line says so; they count in no figure.

``--accept`` writes this commit's figures. One that fell needs ``--reason``, which is kept beside the figure with what
it was before; one that fell within the tolerance stays as it was, so that nothing creeps down. ``fell`` counts the
documents (once in each part) that are below the best ever accepted of them, ``fell_unexplained`` those without a
reason for it; a document that comes back loses its reason with the next ``--accept``. Exit status 1 where
``fell_unexplained`` is above 0, 2 for a wrong option.

A document is measured again only where its code, its bytes or its truth changed. Scans are read by RapidOCR even where
tesseract is installed, whose figures differ. What else is not in the code (weights, the version of PyMuPDF) is written
to ``made_with.json`` when a whole part is accepted, and a line says where it is another now.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import regressions_parts
from benchmarks.common import ROOT, mean, print_table, read_qa, write_report
from benchmarks.regressions_compare import Comparison, Entry, Fall, Result, accept, compare, has_few
from benchmarks.regressions_kept import Item, Measurements, code_digest, measure_all
from benchmarks.regressions_parts import PARTS, Folders, surroundings
from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.models.vision.engine import OcrError

MADE_WITH = "made_with.json"
"""Part -> with what its figures were accepted, beside the files of the parts."""
Accepted = dict[str, dict[str, Entry]]
"""Part -> document -> entry."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, compare, accept where it is asked for, and report."""
    parser = _parser()
    options = parser.parse_args(arguments)
    _check(parser, options)
    for name, value in (("OMP_NUM_THREADS", "1"), ("TOKENIZERS_PARALLELISM", "false")):
        os.environ.setdefault(name, value)
    try:
        around = surroundings()
        folders = Folders(read_qa(options.qa), options.parse, _kept(options.work, around))
        parts = {part: _read(options.accepted / f"{part}.json") for part in PARTS if part in options.parts}
        before = _read(options.accepted / MADE_WITH)
    except (ArtifactError, OcrError) as error:
        parser.error(str(error))
    results, measurements = measure(folders, parts, options.documents, options.jobs)
    comparisons = {part: compare(entries, results[part]) for part, entries in parts.items()}
    status = 0
    if options.accept:
        status = _accept(options, parts, results)
        if status == 0 and not (options.only or options.documents):
            before |= dict.fromkeys(parts, around)
            files.write_json(options.accepted / MADE_WITH, before)
        comparisons = {part: compare(entries, results[part]) for part, entries in parts.items()}
    for part in parts:
        for name, value in sorted(around.items()):
            if (then := before.get(part, around).get(name)) != value:
                print(f"{part}: accepted with {name} {then}, measured with {value}: that alone may change figures")
    report(options.json, comparisons, results, measurements)
    unexplained = any(comparison.unexplained for comparison in comparisons.values())
    return status or int(unexplained)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--qa", type=Path, required=True, help="folder with questions.jsonl and docs/")
    parser.add_argument("--parse", type=Path, required=True, help="folder of PDFs with structural truth")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS), help="what a change can touch")
    parser.add_argument("--documents", type=int, help="only a sample of N documents of each part, always the same")
    parser.add_argument("--accept", action="store_true", help="write this commit's figures as the accepted ones")
    parser.add_argument("--reason", help="why what fell is accepted")
    parser.add_argument("--only", nargs="+", metavar="DOCUMENT", help="accept these documents and no others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="documents at a time")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for what is kept")
    parser.add_argument("--accepted", type=Path, default=ROOT / "benchmarks" / "accepted", help="of other documents")
    return parser


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for name in ("documents", "jobs"):
        value = getattr(options, name)
        if value is not None and value < 1:
            parser.error(f"--{name} {value}: at least 1")
    if not options.parse.is_dir():
        parser.error(f"--parse {options.parse}: no such folder")
    for name in ("reason", "only"):
        if getattr(options, name) is not None and not options.accept:
            parser.error(f"--{name} {getattr(options, name)!r}: only with --accept")
    if options.reason is not None and not options.reason.strip():
        parser.error(f"--reason {options.reason!r}: it says nothing")


def _kept(work: Path, around: Mapping[str, str]) -> Path:
    """The folder for artifacts and results: nothing that was made with another engine is taken for one's own."""
    return work / "regressions" / files.sha256_value(around)[:8]


def _read(path: Path) -> dict[str, Entry]:
    if not path.is_file():
        return {}
    value: dict[str, Entry] = files.read_json(path)
    return value


def sample(documents: Mapping[str, int | None], size: int | None) -> set[str]:
    """``size`` of the documents (name -> questions) by the sha256 of their names, all where no size is given.

    Those with too few questions to fall are taken last.
    """

    def place(name: str) -> tuple[bool, bytes]:
        return has_few(documents[name]), hashlib.sha256(name.encode()).digest()

    return set(sorted(documents, key=place)[:size])


def measure(
    folders: Folders, accepted: Mapping[str, Mapping[str, Entry]], size: int | None, jobs: int
) -> tuple[dict[str, dict[str, Result]], Measurements]:
    """Part -> document -> result; a document that is accepted and not there has a failure."""
    items: list[Item] = []
    results: dict[str, dict[str, Result]] = {}
    for part, entries in accepted.items():
        there = {item.document: item for item in PARTS[part].items(folders)}
        asked = {name: entry.get("questions") for name, entry in entries.items()}
        chosen = sample(asked | {name: item.questions for name, item in there.items()}, size)
        items += [there[document] for document in sorted(chosen & set(there))]
        results[part] = {name: Result({}, failure="it or its truth is not there") for name in chosen - set(there)}
    own = files.sha256_file(Path(regressions_parts.__file__))
    code = {part: files.sha256_value([own, code_digest(PARTS[part].modules)]) for part in accepted}
    measurements = measure_all(items, code, folders.work, jobs)
    for (part, document), result in measurements.results.items():
        results[part][document] = result
    return results, measurements


def _accept(options: argparse.Namespace, accepted: Accepted, results: Mapping[str, Mapping[str, Result]]) -> int:
    """Write the accepted files and bring ``accepted`` in step; 2 where they stay as they are, with the reason told."""
    unknown = set(options.only or ()) - {document for each in results.values() for document in each}
    if unknown:
        print(f"--only {sorted(unknown)[0]}: no such document was measured; nothing is accepted", file=sys.stderr)
        return 2
    written: Accepted = {}
    complaints = []
    for part, entries in accepted.items():
        try:
            written[part] = accept(entries, results[part], options.reason, options.only)
        except ValueError as error:
            complaints.append(f"{part}: {error}")
    if complaints:
        print("\n".join([*complaints, "nothing is accepted; give --reason"]), file=sys.stderr)
        return 2
    for part, entries in written.items():
        files.write_json(options.accepted / f"{part}.json", entries)
    accepted.update(written)
    return 0


def report(
    path: Path,
    comparisons: Mapping[str, Comparison],
    results: Mapping[str, Mapping[str, Result]],
    measurements: Measurements,
) -> None:
    """Tables for a person, and the JSON report."""
    means = {part: _means(comparisons[part], results[part]) for part in comparisons}
    rows = [
        [f"{part} {name}", row["documents"], row["accepted"], row["now"], row["fell"], row["rose"]]
        for part, figures in means.items()
        for name, row in figures.items()
    ]
    print_table(["figure", "documents", "accepted", "now", "fell", "rose"], rows)
    fallen = [(part, fall) for part, comparison in comparisons.items() for fall in comparison.falls]
    if fallen:
        print()
        print_table(["fell", "figure", "best", "accepted", "now", ""], [_row(*each) for each in fallen])
    for part, comparison in comparisons.items():
        for name, few in comparison.few.items():
            if few.fell:
                print(
                    f"\n{part} {name}: {few.documents} documents with too few questions to fall by themselves fell "
                    f"together, from {few.accepted:.1f} to {few.now:.1f} of {few.questions} questions"
                )
    figures = {
        "documents": sum(len(each) for each in results.values()),
        "fell": sum(len(each.fell) for each in comparisons.values()),
        "fell_unexplained": sum(len(each.unexplained) for each in comparisons.values()),
    }
    gains = [gain for each in comparisons.values() for gain in each.rose.values()]
    new = sum(len(each.new) for each in comparisons.values())
    print(
        f"\n{figures['documents']} documents, {figures['fell']} fell, {figures['fell_unexplained']} unexplained; "
        f"{len(gains)} rose, by {mean(gains) or 0.0:.3f} on the mean; {new} new"
    )
    detail: dict[str, Any] = {
        "means": means,
        "seconds": {part: round(value, 1) for part, value in measurements.seconds.items()},
        "fell": [{"part": part, **asdict(fall)} for part, fall in fallen],
        "few_questions": {part: {n: asdict(few) for n, few in each.few.items()} for part, each in comparisons.items()},
        "rose": {part: each.rose for part, each in comparisons.items()},
        "new": {part: each.new for part, each in comparisons.items()},
        "results": {part: {name: asdict(each[name]) for name in sorted(each)} for part, each in results.items()},
    }
    write_report(path, "regressions", figures, detail)


def _row(part: str, fall: Fall) -> list[str | float | int | None]:
    why = fall.why if fall.explained else f"unexplained {fall.why}".strip()
    return [f"{part} {fall.document}", fall.figure, fall.best, fall.accepted, fall.now, why]


def _means(comparison: Comparison, results: Mapping[str, Result]) -> dict[str, dict[str, float | int | None]]:
    """Figure -> documents with it, its accepted and measured means, and how many documents fell and rose in it."""
    names = dict.fromkeys(name for result in results.values() for name in sorted(result.figures))
    rows: dict[str, dict[str, float | int | None]] = {}
    for name in sorted({*names, *comparison.pairs}):
        pairs = comparison.pairs.get(name, [])
        new = [results[each].figures[name] for each in comparison.new if name in results[each].figures]
        rows[name] = {
            "documents": len(pairs) + len(new),
            "accepted": mean([before for before, _ in pairs]),
            "now": mean([*(now for _, now in pairs), *new]),
            "fell": sum(1 for fall in comparison.falls if fall.figure == name),
            "rose": sum(1 for before, now in pairs if now > before),
        }
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
