"""``cosee show FILE``: any artifact, readable. Schema, fields or suffix of a file say what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.base import Artifact
from cosee.artifacts.datasets.documents import load_sheet
from cosee.artifacts.datasets.questions import Question, load_questions
from cosee.artifacts.documents.content import ContentList, MinerUItem
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import DenseCoarse, DenseLeaf, GraphEdge, SparseDoc
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.comparison import RunComparison
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.estimate import Estimate
from cosee.artifacts.results.metrics import Metrics, MetricsSummary
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.sample_log import SampleLine
from cosee.artifacts.results.trace import TraceEvent
from cosee.commands.console import line, plain, show_table
from cosee.commands.views import comparison_views, document_views, result_views, tree_views
from cosee.commands.views.document_views import ALL_ROWS, View
from cosee.commands.views.estimate_view import show_estimate

ROW_MODELS: tuple[type[BaseModel], ...] = (
    Prediction, SampleLine, Question, LedgerRow, TraceEvent, DenseCoarse, DenseLeaf, SparseDoc, GraphEdge,
)  # fmt: skip
"""Rows of JSON lines, the most particular first."""

READABLE = "JSON, JSON lines, NDJSON, documents.tsv, .npy, .parquet and .faiss files that the pipeline wrote"


def show(path: Path, console: Console, *, page: int | None = None, item: str | None = None, limit: int = 40) -> None:
    """Print a file. ``page`` (1-based) and ``item`` (an id) choose what of it; ``limit`` bounds rows, 0 for all.

    Raises:
        ArtifactError: there is no such file, or it is none of the known kinds; says which are.
    """
    if path.is_dir():
        raise ArtifactError(f"{path}: is a folder; name a file in it, e.g. {_example(path)}")
    if not path.exists():
        raise ArtifactError(f"{path}: no such file")
    reader = READERS.get(path.suffix)
    if reader is None:
        raise ArtifactError(f"{path}: not an artifact; readable are {READABLE}")
    reader(path, console, View(page, item, limit or ALL_ROWS))


def draw(path: Path, console: Console, *, page: int | None, item: str | None, out: str, limit: int) -> None:
    """Draw a page, else show the node ``item`` and cut out what it covers; without ``out`` in the current folder.

    Raises:
        ArtifactError: the file has no boxes, or no such page or node.
        RenderError: a page cannot be rendered.
    """
    from cosee.commands.views.page_pictures import draw_node, draw_page

    name = f"page{page}" if page is not None else files.safe_name(str(item))
    picture = Path(out or f"{path.resolve().parent.name}.{name}.png")
    if page is not None:
        counts = draw_page(path, page, picture)
        dropped = counts.pop("dropped", 0)
        also = f", {dropped} of dropped content" if dropped else ""
        line(console, f"{picture}: page {page} with {counts.total()} boxes{also}")
    else:
        show(path, console, item=item, limit=limit)
        line(console, f"{picture}: {draw_node(path, str(item), picture)} regions of {item}")


def _json(path: Path, console: Console, view: View) -> None:
    value = files.read_json(path)
    if isinstance(value, dict) and "schema" in value:
        if found := SCHEMAS.get(str(value["schema"])):
            model, shower = found
            shower(model.load(path), console, view)
        else:
            _tree(console, value, view)
    elif isinstance(value, list) and value and isinstance(value[0], dict) and {"type", "page_idx"} <= value[0].keys():
        document_views.show_mineru([MinerUItem.model_validate(entry) for entry in value], console, view)
    elif isinstance(value, dict | list):
        _tree(console, value, view)
    else:
        raise ArtifactError(f"{path}: holds a bare {type(value).__name__}, no artifact")


def _rows(path: Path, console: Console, view: View) -> None:
    values = files.read_jsonl(path)
    if not values:
        line(console, f"{path}: no rows")
        return
    model = next((model for model in ROW_MODELS if _fits(model, values[0])), None)
    if model is None:
        # A journal or measured values: no model of ours, but rows of fields all the same.
        if not all(isinstance(value, dict) for value in values):
            raise ArtifactError(f"{path}: no artifact: its lines are not JSON objects; readable are {READABLE}")
        _tree(console, values, view)
        return
    try:
        rows = [model.model_validate(value) for value in values]
    except ValidationError as error:
        raise ArtifactError(f"{path}: {error.errors()[0]['msg']} at {error.errors()[0]['loc']}") from error
    if view.item is not None:
        rows = [row for row in rows if view.item in (getattr(row, name, None) for name in ID_FIELDS)]
        if not rows:
            raise ArtifactError(f"{path}: no row with the id {view.item!r}")
        for row in rows:
            if isinstance(row, Prediction) and (question := _asked(path, [row]).get(row.question_id)):
                line(console, f"question: {question}", "bold")
            _tree(console, row.model_dump(mode="json"), view)
        return
    result_views.show_rows(path.name, rows, console, view, _asked(path, rows))


def _asked(path: Path, rows: Sequence[BaseModel]) -> dict[str, str]:
    """Question id -> what was asked, of predictions; the datasets are looked for in ``data`` beside the results, and
    below the current folder."""
    asked = {}
    for dataset in {row.dataset for row in rows if isinstance(row, Prediction)}:
        for root in [*path.resolve().parents[3:4], Path()]:
            questions = root / "data" / dataset / "qa" / "questions.jsonl"
            if questions.exists():
                asked.update({each.question_id: each.question for each in load_questions(questions)})
                break
    return asked


ID_FIELDS = ("question_id", "doc_id", "node_id", "orig_node_id", "id", "src", "dst", "type")


def _fits(model: type[BaseModel], value: Any) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True


def _sheet(path: Path, console: Console, view: View) -> None:
    rows = load_sheet(path)
    columns = ("doc_id", "pages#", "shard", "state", "sha256")
    show_table(
        console,
        f"{len(rows)} lines; the last of a document counts",
        columns,
        ((row.doc_id, row.pages, row.shard, row.state, row.sha256[:12]) for row in rows[: view.limit]),
    )


def _npy(path: Path, console: Console, view: View) -> None:
    array = files.read_npy(path)
    line(console, f"{path.name}: {array.dtype}, shape {' x '.join(map(str, array.shape))}")
    for number, row in enumerate(array[: min(view.limit, 3)]):
        line(console, f"  row {number}: {plain(row, 200)}", "dim")


def _parquet(path: Path, console: Console, view: View) -> None:
    import pyarrow
    import pyarrow.parquet

    try:
        data = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise ArtifactError(f"{path}: not a readable Parquet file ({error})") from error
    if path.name == "ablations.parquet":
        result_views.show_ablations(data.to_pylist(), console, view)
        return
    rows = (list(row.values()) for row in data.slice(0, view.limit).to_pylist())
    show_table(console, f"{path.name}: {data.num_rows} rows", data.column_names, rows)


def _faiss(path: Path, console: Console, view: View) -> None:
    import faiss

    try:
        index = faiss.read_index(str(path))
    except RuntimeError as error:
        raise ArtifactError(f"{path}: not a readable FAISS index ({str(error).splitlines()[-1]})") from error
    line(console, f"{path.name}: {type(index).__name__}, {index.ntotal} vectors of {index.d} dimensions")


def _tree(console: Console, value: Any, view: View, depth: int = 0) -> None:
    """Any JSON as an indented outline, long lists cut."""
    if not value and not depth:
        line(console, "empty")
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for number, (name, item) in enumerate(entries):
        if number >= view.limit:
            line(console, f"{'  ' * depth}… {len(value) - number} more (--limit 0 shows all)", "dim")
            return
        if isinstance(item, dict | list) and item:
            line(console, f"{'  ' * depth}{name}:")
            _tree(console, item, view, depth + 1)
        else:
            line(console, f"{'  ' * depth}{name}: {plain(item, 400)}")


def _example(folder: Path) -> str:
    found = sorted(entry for entry in folder.iterdir() if entry.is_file() and entry.suffix in READERS)
    return str(found[0]) if found else f"{folder}/doctree.mm.json"


Reader = Callable[[Path, Console, View], None]
READERS: dict[str, Reader] = {
    ".json": _json, ".jsonl": _rows, ".ndjson": _rows, ".tsv": _sheet, ".npy": _npy, ".parquet": _parquet,
    ".faiss": _faiss,
}  # fmt: skip
SCHEMAS: dict[str, tuple[type[Artifact], Callable[[Any, Console, View], None]]] = {
    DocTree.schema_name: (DocTree, tree_views.show_doctree),
    ContentList.schema_name: (ContentList, document_views.show_content),
    Layout.schema_name: (Layout, document_views.show_layout),
    MetricsSummary.schema_name: (MetricsSummary, lambda made, console, _: result_views.show_summary(made, console)),
    Metrics.schema_name: (Metrics, result_views.show_metrics),
    RunComparison.schema_name: (RunComparison, comparison_views.show_comparisons),
    Costs.schema_name: (Costs, lambda made, console, _: result_views.show_costs(made, console)),
    Estimate.schema_name: (Estimate, lambda made, console, _: show_estimate(made, console)),
}
