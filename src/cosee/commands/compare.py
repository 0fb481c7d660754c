"""``cosee compare A B``: which questions flip between two runs or methods, and at which stage the wrong side fell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from cosee.agents.methods.oracle_pages import OraclePagesMethod
from cosee.artifacts.base import load_rows, validate
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.comparison import Flip, MethodComparison, RunComparison
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.commands.console import line
from cosee.commands.views.comparison_views import show_comparisons
from cosee.commands.views.document_views import ALL_ROWS, View
from cosee.evaluation.ablation import strategy_of
from cosee.evaluation.flips import Answers, Key, answers_of, compare_runs, modules_unread, oracles_of
from cosee.evaluation.results import QuestionResult, join
from cosee.pipeline.config import read_config
from cosee.pipeline.paths import Paths
from cosee.runs import files as run_files


@dataclass(frozen=True)
class _Run:
    """A run on disk: ``paths`` are those of its project."""

    name: str
    paths: Paths
    method: str | None

    @property
    def folder(self) -> Path:
        return self.paths.results / self.name

    def methods(self) -> list[str]:
        """Methods with collected answers, by name."""
        return sorted(path.stem for path in (self.folder / "predictions").glob("*.jsonl"))


def compare(
    first: str,
    second: str,
    console: Console,
    *,
    config: Path,
    method: str | None = None,
    swap: bool = False,
    out: Path | None = None,
    limit: int = 40,
) -> int:
    """Compare and print; returns the exit status.

    ``first`` and ``second`` are ``RUN`` or ``RUN:METHOD``, a run being a name or its folder.

    Raises:
        ArtifactError: there is no such run or method, or nothing that both sides answered.
    """
    settings, paths = _project(config)
    runs = (_run(first, paths, method), _run(second, paths, method))
    pairs = _pairs(runs)
    loaded = [_load(run, {pair[number] for pair in pairs}, settings) for number, run in enumerate(runs)]
    sides = [[each[pair[number]] for pair in pairs] for number, each in enumerate(loaded)]
    made = compare_runs(sides[0], sides[1], settings)
    if all(not each.questions for each in made.comparisons):
        raise ArtifactError(
            f"{first} and {second} share no question that has a gold answer: "
            f"{_datasets(loaded[0])} against {_datasets(loaded[1])}"
        )
    if swap:
        swapped = [_swap(run, side, made) for run, side in zip(runs, sides, strict=True)]
        made = compare_runs(swapped[0], swapped[1], settings)
    if out is not None:
        made.save(out)
        line(console, f"{out}: written")
    show_comparisons(made, console, View(limit=limit or ALL_ROWS))
    return 0


def _project(config: Path) -> tuple[EvaluateSettings, Paths]:
    """How scores are compared, and where runs are: as configured, else the defaults."""
    if not config.exists():
        return EvaluateSettings(), Paths()
    read = read_config(config)
    return read.evaluate, Paths(Path(read.data_dir), Path(read.indexes_dir), Path(read.results_dir))


def _run(name: str, paths: Paths, method: str | None) -> _Run:
    """``RUN`` or ``RUN:METHOD``. A folder of another project brings its own data along: ``<project>/results/<run>``."""
    run, _, own = name.rpartition(":") if ":" in name else (name, "", "")
    folder = paths.results / run
    if not (folder / "predictions").is_dir() and (Path(run) / "predictions").is_dir():
        folder = Path(run)
        project = folder.resolve().parent.parent
        paths = Paths(project / "data", project / "indexes", folder.resolve().parent)
    if not (folder / "predictions").is_dir():
        raise ArtifactError(f"there is no run {run!r} with collected answers; {_runs_in(paths.results)}")
    return _Run(folder.resolve().name, paths, own or method)


def _runs_in(results: Path) -> str:
    found = sorted(path.parent.name for path in results.glob("*/predictions"))
    return f"{results} has {', '.join(found)}" if found else f"{results} has none: run snakemake first"


def _pairs(runs: tuple[_Run, _Run]) -> list[tuple[str, str]]:
    """The methods to compare: those named, else every method that both runs have."""
    for run in runs:
        if run.method is not None and run.method not in run.methods():
            raise ArtifactError(f"run {run.name!r} has no method {run.method!r}; it has {', '.join(run.methods())}")
    first, second = runs
    if first.method is not None or second.method is not None:
        return [(first.method or str(second.method), second.method or str(first.method))]
    both = [name for name in first.methods() if name in second.methods()]
    if not both:
        raise ArtifactError(
            f"runs {first.name!r} and {second.name!r} have no method in common; name one of each, "
            f"e.g. {first.name}:{first.methods()[0]} {second.name}:{second.methods()[0]}"
        )
    return [(name, name) for name in both]


def _load(run: _Run, wanted: Collection[str], settings: EvaluateSettings) -> dict[str, Answers]:
    """The wanted methods of a run with their results, and those that were given the gold pages."""
    told = run_files.method_settings(run.paths, run.name)
    gold = [name for name in run.methods() if strategy_of(told, name) == "oracle_pages"]
    predictions = {
        name: run_files.load_predictions(run.paths, run.name, name) for name in dict.fromkeys([*sorted(wanted), *gold])
    }
    datasets = sorted({row.dataset for rows in predictions.values() for row in rows})
    questions = run_files.questions_of(run.paths, datasets)
    results = {}
    for method, rows in predictions.items():
        judged = (run.folder / "judgements" / f"{method}.jsonl").exists()
        checked = (run.folder / "evidence" / f"{method}.jsonl").exists()
        judgements = run_files.load_judgements(run.paths, run.name, method) if judged else None
        checks = run_files.load_checks(run.paths, run.name, method) if checked else None
        results[method] = join(questions, rows, settings.recall_at, judgements, checks)[0]
    return answers_of(run.name, results, told)


def _datasets(sides: Mapping[str, Answers]) -> str:
    found = sorted({result.dataset for side in sides.values() for result in side.results})
    return f"questions of {', '.join(found)}" if found else "no questions"


def _swap(run: _Run, sides: Sequence[Answers], made: RunComparison) -> list[Answers]:
    """The sides of one run with gold-page answers to every flipped question that they have wrong and that lacks one.

    They are made in this process by the run's model, and journaled in ``results/<run>.swap``: asked again, no model is
    called again.
    """
    swapped = []
    for side, comparison in zip(sides, made.comparisons, strict=True):
        wrong = [flip for flip in comparison.flips if _wrong_side(comparison, flip) == (side.run, side.method)]
        keys = {(flip.dataset, flip.question_id) for flip in wrong} - side.oracles.keys()
        # Questions over several documents have none to be read again from.
        asked = {key: side.by_key[key] for key in sorted(keys)}
        found = {key: row for key, row in asked.items() if row.question.evidence_pages and row.question.doc_id}
        answers = _answer_from_gold(run, side, found) if found else {}
        swapped.append(replace(side, oracles={**side.oracles, **answers}))
    return swapped


def _wrong_side(comparison: MethodComparison, flip: Flip) -> tuple[str, str]:
    side = comparison.second if flip.direction == "right_to_wrong" else comparison.first
    return side.run, side.method


def _answer_from_gold(run: _Run, side: Answers, wanted: Mapping[Key, QuestionResult]) -> dict[Key, QuestionResult]:
    """The wanted questions answered by the run's model from their gold pages."""
    from cosee.pipeline.stage import StageFailure
    from cosee.stages.answer import AnswerStage

    if not side.settings:
        raise ArtifactError(
            f"{run.folder / 'run.json'}: does not tell the settings of {side.method!r}; --swap needs them"
        )
    settings = validate(AnswerSettings, dict(side.settings), f"{run.folder / 'run.json'}, {side.method}")
    name = f"{run.name}.swap"
    method = OraclePagesMethod(strategy="oracle_pages", without=modules_unread(side.settings))
    settings = settings.model_copy(update={"run": name, "method": method})
    stage = AnswerStage(only={question_id for _, question_id in wanted})
    places = replace(run.paths, run=name, method=method.label)
    rows: list[Prediction] = []
    for dataset, doc_id in sorted({(key[0], result.question.doc_id) for key, result in wanted.items()}):
        doc = places.folder(dataset, doc_id)
        try:
            stage.run(doc, settings)
        except StageFailure as failure:
            raise ArtifactError(f"{dataset}/{doc_id}: cannot be read again: {failure.message}") from failure
        rows += load_rows(Prediction, run.paths.results / name / "answers" / method.label / dataset / f"{doc_id}.jsonl")
    questions = [(key[0], result.question) for key, result in wanted.items()]
    return oracles_of(join(questions, rows, [1])[0])
