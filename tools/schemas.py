"""``make schemas``: JSON Schemas, the artifact reference and the configuration reference, written from the models.

``python -m tools.schemas`` writes them; with ``--check`` it names each file that differs and ends with 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.base import Artifact
from cosee.artifacts.datasets.documents import DocumentRow
from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.collection import CollectionShard
from cosee.artifacts.documents.content import ContentList, MinerUItem
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import (
    DenseCoarse,
    DenseLeaf,
    DenseRow,
    GraphEdge,
    IdMaps,
    IndexManifest,
    MultiVectorMeta,
    PassageScores,
    SparseDoc,
    SparseMeta,
    Summaries,
    VectorMeta,
)
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.documents.original import Original
from cosee.artifacts.ledger import LedgerRow, OutputTable, Stamp
from cosee.artifacts.model_docs import field_docs, json_schema, models_of, sections, type_text
from cosee.artifacts.results.changed_run import ChangedRun
from cosee.artifacts.results.comparison import RunComparison
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.estimate import Estimate
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.export import ExportRow
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.metrics import Metrics, MetricsSummary
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.sample_log import SampleLine
from cosee.artifacts.results.trace import TraceEvent
from cosee.commands.reasons import reasons_page
from cosee.pipeline.config import Config
from cosee.project.installed import ROOT
from cosee.registry import MEASURES, METHODS, TOOLS


@dataclass(frozen=True)
class FileKind:
    """A kind of file: where it is, who writes it, and the model of it or of each of its lines."""

    name: str
    model: type[BaseModel]
    where: str
    writer: str
    form: str = "JSON"


FILE_KINDS = (
    FileKind("question", Question, "data/<dataset>/qa/questions.jsonl", "you, or `cosee init`", "JSON lines"),
    FileKind("import_report", ImportReport, "data/<dataset>/qa/import_report.json", "`cosee init`"),
    FileKind("document", DocumentRow, "data/<dataset>/documents.tsv", "the scheduler", "tab-separated"),
    FileKind("original", Original, "data/<dataset>/<doc_id>/original.json", "M0 adapt"),
    FileKind("layout", Layout, "data/<dataset>/<doc_id>/layout.json", "M0 adapt"),
    FileKind(
        "mineru_item", MinerUItem, "data/<dataset>/<doc_id>/content_list.json", "M0 adapt", "JSON list of such items"
    ),
    FileKind(
        "content_list",
        ContentList,
        "data/<dataset>/<doc_id>/content_list.adapted.json, content_list.enhanced.json",
        "M0 adapt, M1 enhance",
    ),
    FileKind("doctree", DocTree, "data/<dataset>/<doc_id>/doctree.mm.json", "M1 build"),
    FileKind("summary", Summaries, "indexes/<dataset>/<doc_id>/summary.json", "M2 index"),
    FileKind("dense_coarse", DenseCoarse, "indexes/<dataset>/<doc_id>/dense_coarse.jsonl", "M2 index", "JSON lines"),
    FileKind("dense_leaf", DenseLeaf, "indexes/<dataset>/<doc_id>/dense_leaf.jsonl", "M2 index", "JSON lines"),
    FileKind("dense_row", DenseRow, "indexes/<dataset>/<doc_id>/dense_rows.jsonl", "M2 index", "JSON lines"),
    FileKind(
        "sparse_doc",
        SparseDoc,
        "indexes/<dataset>/<doc_id>/sparse_coarse.jsonl, sparse_leaf.jsonl",
        "M2 index",
        "JSON lines",
    ),
    FileKind("graph_edge", GraphEdge, "indexes/<dataset>/<doc_id>/graph_edges.jsonl", "M2 index", "JSON lines"),
    FileKind(
        "sparse_meta",
        SparseMeta,
        "indexes/<dataset>/<doc_id>/bm25_coarse/meta.json, bm25_leaf/meta.json",
        "M2 index",
    ),
    FileKind("id_maps", IdMaps, "indexes/<dataset>/<doc_id>/id_maps.json", "M2 index"),
    FileKind("index_manifest", IndexManifest, "indexes/<dataset>/<doc_id>/index.meta.json", "M2 index"),
    FileKind(
        "multi_vector_meta",
        MultiVectorMeta,
        "indexes/<dataset>/<doc_id>/page_vectors.meta.json, question_pages.meta.json",
        "M2 index, M2 questions",
    ),
    FileKind("passage_scores", PassageScores, "indexes/<dataset>/<doc_id>/passage_scores.json", "M2 questions"),
    FileKind("vector_meta", VectorMeta, "indexes/<dataset>/<doc_id>/<view>.meta.json", "M2 index, M2 questions"),
    FileKind(
        "collection",
        CollectionShard,
        "indexes/<dataset>/.collection/<shard>.json, and <shard>.bin beside it",
        "M2 collection",
    ),
    FileKind(
        "prediction",
        Prediction,
        "results/<run>/answers/<method>/<dataset>/<doc_id>.jsonl, results/<run>/predictions/<method>.jsonl",
        "M3 answer, M3 collect",
        "JSON lines",
    ),
    FileKind(
        "trace_event",
        TraceEvent,
        "results/<run>/traces/<method>/<dataset>/<question_id>.ndjson",
        "M3 answer",
        "JSON lines",
    ),
    FileKind("judgement", Judgement, "results/<run>/judgements/<method>.jsonl", "M4 judge", "JSON lines"),
    FileKind("evidence_check", EvidenceCheck, "results/<run>/evidence/<method>.jsonl", "M4 evidence", "JSON lines"),
    FileKind("estimate", Estimate, "results/<run>/estimate.json", "`cosee estimate`"),
    FileKind("metrics", Metrics, "results/<run>/metrics.json", "M4 evaluate"),
    FileKind("sample", SampleLine, "results/<run>/samples.jsonl", "M4 evaluate", "JSON lines"),
    FileKind("costs", Costs, "results/<run>/costs.json", "M4 evaluate"),
    FileKind("export", ExportRow, "results/<run>/exports/<kind>.jsonl", "`cosee export`, rule `export`", "JSON lines"),
    FileKind("metrics_summary", MetricsSummary, "results/metrics_summary.json", "M4 summarize"),
    FileKind("run_comparison", RunComparison, "the file of `cosee compare --json`", "`cosee compare`"),
    FileKind(
        "ledger_row",
        LedgerRow,
        "data/<dataset>/.ledger/<stage>.<shard>.jsonl, indexes/<dataset>/.ledger/..., results/<run>/ledger/...",
        "every stage",
        "JSON lines",
    ),
    FileKind("stamp", Stamp, "<document folder>/.stamps/<stage>.json", "every stage"),
    FileKind("output_table", OutputTable, "<dataset folder>/.shards/<stage>.<shard>.outputs.json", "every stage"),
    FileKind("changed_run", ChangedRun, "results/<run>/changed.json", "`cosee remove`"),
)

OTHER_FILES = """
| file | what it is |
| --- | --- |
| `data/<dataset>/<doc_id>/full.pdf` | the document, as you gave it; made by M0 of a file of another kind |
| `data/<dataset>/<doc_id>/original.<suffix>` | an office file, web page or picture, as you gave it |
| `data/<dataset>/<doc_id>/images/<sha256>.png` | pictures cut out of the pages, named by their bytes |
| `indexes/<dataset>/<doc_id>/<view>.vectors.npy` | unit vectors (float32 or int8), listed by `<view>.meta.json` |
| `indexes/<dataset>/<doc_id>/<view>.faiss` | an HNSW graph over many vectors; a flat index with `vectors: all` |
| `indexes/<dataset>/<doc_id>/bm25_coarse/`, `bm25_leaf/` | BM25F: `postings.npy`, read by `meta.json` |
| `results/<run>/metrics.parquet` | every score of every answer, one a row |
| `results/<run>/ablations.parquet` | figures by method and group, beside the method that each is read against |
| `results/<run>/run.json` | the settings of each method of the run; guards it against other settings |
| `results/report/` | the static report; open `index.html` |
| `measured/` beside anything | seconds, memory and host; differs from run to run, never read by a stage |
"""


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file below the project's folder, with its content."""
    for kind in FILE_KINDS:
        yield Path(f"docs/schemas/{kind.name}.schema.json"), _json(json_schema(kind.model))
    yield Path("workflow/schemas/config.schema.json"), _json(config_schema())
    yield Path("docs/artifacts.md"), artifacts_page()
    yield Path("docs/configuration.md"), configuration_page()
    yield Path("docs/reasons.md"), reasons_page()


def tables() -> Iterator[tuple[Path, str, str]]:
    """(page, name, table) for each generated table of a page that is written by hand."""
    rows = [(f"`{each.name}`", each.description, each.about["calls"]) for each in METHODS.entries(plugins=False)]
    yield Path("README.md"), "methods", _table(("`methods:`", "what it does", "calls"), rows)
    told = [(f"`{each.name}`", each.description) for each in TOOLS.entries(plugins=False)]
    yield Path("docs/decision-agent.md"), "tools", _table(("tool", "description"), told)
    found = [(f"`{each.name}`", each.description, each.citation) for each in MEASURES.entries(plugins=False)]
    yield Path("docs/scoring.md"), "measures", _table(("measure", "of an answer", "source"), found)


def with_tables(root: Path) -> Iterator[tuple[Path, str]]:
    """The pages below ``root`` that hold generated tables, with these as they should be; absent ones are left out."""
    for page, name, table in tables():
        if (root / page).is_file():
            text = (root / page).read_text(encoding="utf-8")
            region = re.compile(rf"(<!-- {name}: [^\n]* -->\n).*?(<!-- /{name} -->)", re.DOTALL)
            if not region.search(text):
                raise ValueError(f"{page} has no place for the table of {name}")
            yield page, region.sub(lambda found, table=table: f"{found[1]}{table}{found[2]}", text)


def differing(root: Path) -> list[str]:
    """Generated files that are missing below ``root`` or differ, and schemas that no model has any more."""
    wanted = dict((*generated(), *with_tables(root)))
    wrong = [
        path.as_posix()
        for path, text in wanted.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]
    found = {path.relative_to(root) for path in (root / "docs" / "schemas").glob("*.schema.json")}
    return sorted([*wrong, *(path.as_posix() for path in found - wanted.keys())])


def config_schema() -> dict[str, Any]:
    """Schema of the configuration."""
    return json_schema(Config)


def artifacts_page() -> str:
    """``docs/artifacts.md``."""
    parts = [
        "# Artifacts\n\nGenerated by `make schemas` from the models in `src/cosee/artifacts/`; do not edit.\n\n"
        "Every file is written atomically and can be opened: `cosee show FILE` makes any of them readable.\n"
        "`page_idx` counts from 0, `page` from 1, `page_label` is what is printed on the page. A `bbox` is "
        "`[x0, y0, x1, y1]` in 0..1 of the page as seen, origin top left, unless the table says otherwise.\n",
        "| file | written by | schema |\n| --- | --- | --- |\n"
        + "".join(f"| {_code(kind.where)} | {kind.writer} | [{kind.name}](#{kind.name}) |\n" for kind in FILE_KINDS),
        f"Files without a schema:\n{OTHER_FILES}",
    ]
    told: set[type[BaseModel]] = set()
    for kind in FILE_KINDS:
        version = ""
        if issubclass(kind.model, Artifact):
            version = f" `schema` is `{kind.model.schema_name}`, `version` {kind.model.schema_version}."
        parts.append(
            f"## {kind.name}\n\n{_code(kind.where)}\n\n{kind.form}, written by {kind.writer}.{version} "
            f"Schema: [{kind.name}.schema.json](schemas/{kind.name}.schema.json)\n"
        )
        for model in models_of(kind.model):
            if model not in told:
                told.add(model)
                parts.append(_model_table(model, title=model is not kind.model))
    return "\n".join(parts)


def configuration_page() -> str:
    """``docs/configuration.md``."""
    parts = [
        "# Configuration\n\nGenerated by `make schemas` from the settings models; do not edit.\n\n"
        "A configuration is a YAML file. Every key but `datasets` is optional; an unknown key ends with exit status 2 "
        "before anything runs. `cosee doctor --keys` lists them in a terminal. A section belongs to its stage: "
        "changing it redoes that stage and what follows, nothing else. Model backends stand in `config/models.yaml`.\n"
    ]
    for section in sections(Config):
        rows = "".join(
            f"| `{key.path.rsplit('.', 1)[-1]}` | {_cell(key.type)} | {_code(key.default) if key.default else ''} "
            f"| {_cell(key.description)} |\n"
            for key in section.keys
        )
        parts.append(
            f"## {f'`{section.path}`' if section.path else 'Top level'}\n\n{_cell(section.description)}\n\n"
            f"| key | type | default | meaning |\n| --- | --- | --- | --- |\n{rows}"
        )
    parts.append(
        "## Presets\n\nWhat `preset` stands for. A preset is a configuration with a section `run` more: what each run "
        "has that does not say otherwise. Runs of its own it has only where the configuration names none.\n"
    )
    for path in sorted((ROOT / "config" / "presets").glob("*.yaml")):
        parts.append(f'```yaml title="preset: {path.stem}"\n{files.read_bytes(path).decode()}```\n')
    return "\n".join(parts)


def _model_table(model: type[BaseModel], *, title: bool) -> str:
    docs = field_docs(model)
    properties = model.model_json_schema()["properties"]
    rows = "".join(
        f"| `{name}` | {_cell(type_text(properties[name]))} | {_cell(docs.get(name, ''))} |\n"
        for name in model.model_fields
    )
    heading = f"### {model.__name__}\n\n" if title else ""
    meaning = _cell(" ".join((model.__doc__ or "").split()))
    return f"{heading}{meaning}\n\n| field | type | meaning |\n| --- | --- | --- |\n{rows}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with an empty line around it."""
    lines = [heads, ["---"] * len(heads), *([_cell(cell) for cell in row] for row in rows)]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def _code(text: str) -> str:
    return ", ".join(f"`{part}`" for part in text.split(", ")) if not text.startswith("[") else f"`{text}`"


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the generated files, or check them."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that differ")
    parser.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: here)")
    options = parser.parse_args(arguments)
    wrong = differing(options.root)
    if options.check:
        sys.stdout.writelines(f"{path} is out of step with the models; run 'make schemas'\n" for path in wrong)
        return 1 if wrong else 0
    wanted = {path.as_posix(): text for path, text in (*generated(), *with_tables(options.root))}
    for path in wrong:
        if path in wanted:
            files.write_text(options.root / path, wanted[path])
        else:
            (options.root / path).unlink()
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
