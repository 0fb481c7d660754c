"""Many documents, long documents, and what the pipeline costs: `python -m benchmarks.scale --json OUT`.

`many`: a project of 10,000 documents of one page, run to its end. Then: a dry run that plans every job, a call with
nothing to do (both look at every artifact), and one document more. CPU seconds count every process that the call
started; memory is the scheduler's own. With `--made 600` the pipeline makes so many of them, and the rest are copies
whose stamps fit (`benchmarks.scale_copies`): minutes instead of half an hour, and the same for every later call.

`long`: a document of 1,200 and one of 5,000 pages under the memory that each is granted.

`overhead`: 50 documents of 4 to 20 pages through the six stages that work on documents, as the workflow's jobs and as
bare calls of the stage functions, one after the other in one process. `overhead` is the CPU time of the jobs (start of
each job, child processes, hashes, stamps, ledgers) over that of the bare process, minus one;
`overhead_with_scheduler` adds what Snakemake itself takes. Both are done several times in turn, and the least of each
counts, since the same work takes up to a third more CPU time while a neighbour uses the machine.

`large`: documents of 57 pages through every stage with the default settings; see `benchmarks.scale_large`.

Interrupt it, give it again, it goes on.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from benchmarks import scale_bare
from benchmarks.common import ROOT, print_table, write_report
from benchmarks.scale_copies import multiply
from benchmarks.scale_corpus import (
    DATASET,
    Cost,
    copy_documents,
    count_documents,
    make_project,
    measured,
    snakemake,
    write_documents,
    write_long_document,
)
from benchmarks.scale_large import large
from benchmarks.small_embedder import INDEX
from cosee.artifacts import files

CONFIG: dict[str, Any] = {
    "datasets": [DATASET],
    "adapt": {"ocr": "none"},
    "index": INDEX,
    "evaluate": {"bootstrap": 50},
    "runs": {DATASET: {"datasets": [DATASET], "methods": ["page_rag"]}},
}
DEMO = ("atlas", "harbor", "letter", "tidal")
ANSWERS = f"results/{DATASET}/ledger/answer.page_rag.{DATASET}.0000.jsonl"
SHARD_DOCUMENTS = 1000
"""As `shard_pages` of the configuration gives them with one page each."""
LONG_STAGES = ("adapt", "enhance", "build", "index")


def main() -> int:
    """Run the parts and print; exit status 1 when a run failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks" / "scale")
    parser.add_argument(
        "--parts", nargs="+", choices=("many", "long", "large", "overhead"), default=["many", "long", "overhead"]
    )
    parser.add_argument("--documents", type=int, default=10_000, help="documents of 'many'")
    parser.add_argument("--made", type=int, help="documents of 'many' that are no copies; by default all")
    parser.add_argument("--pages", type=int, nargs="+", default=[1200, 5000], help="pages of the long documents")
    parser.add_argument("--copies", type=int, default=50, help="documents of 'overhead'")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of 'overhead'")
    parser.add_argument("--cores", type=int, default=2, help="cores of the first run over many documents")
    parser.add_argument("--large", type=int, default=10, help="documents of 'large'")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    detail: dict[str, Any] = {}
    if "many" in options.parts:
        many(options.work / "many", options.documents, options.made, options.cores, figures, detail)
    if "long" in options.parts:
        long(options.work / "long", options.pages, figures, detail)
    if "large" in options.parts:
        found, detail["large"] = large(options.work / "large", options.large)
        figures |= found
    if "overhead" in options.parts:
        overhead(options.work / "overhead", options.copies, options.rounds, figures, detail)
    print_table(["figure", "value"], sorted(figures.items()))
    write_report(options.json, "scale", figures, detail)
    return 0


def many(
    folder: Path, documents: int, made: int | None, cores: int, figures: dict[str, float], detail: dict[str, Any]
) -> None:
    """A project of many documents; what a person waits for at every call."""
    make_project(folder, CONFIG)
    new = not (folder / "data" / DATASET / "documents.tsv").exists()
    there = count_documents(folder)
    write_documents(folder / "data" / DATASET, max(made or documents, there))
    if new and made is None:
        figures["first_dry_run_cpu_s"] = _checked(snakemake(folder, "-n"), "the first dry run").cpu_s
    run = _checked(snakemake(folder, cores=cores), "the run over all documents")
    if made is not None and there < documents:
        multiply(folder, documents, SHARD_DOCUMENTS)
        run = _checked(snakemake(folder, cores=cores), "the run over copies")
        _check_taken_as_done(folder)
    again = _checked(snakemake(folder), "the second call")
    if again.jobs():
        raise SystemExit(f"the second call ran {again.jobs()}")
    plan = _checked(snakemake(folder, "-n", "-F"), "the dry run of everything")
    count = count_documents(folder)
    write_documents(folder / "data" / DATASET, count + 1)
    more = _checked(snakemake(folder, cores=cores), "the run after one document more")
    figures["one_document_cpu_s"] = more.cpu_s
    figures["dry_run_cpu_s"] = plan.cpu_s
    figures["nothing_to_do_cpu_s"] = again.cpu_s
    figures["driver_rss_mb"] = max(cost.own_rss_mb for cost in (run, again, plan, more))
    figures["shards_rerun_for_one_document"] = more.jobs()["adapt"]
    detail["many"] = {
        "documents": count,
        "artifacts": sum(1 for _ in _artifacts(folder)),
        "jobs_planned": plan.jobs(),
        "jobs_for_one_document": more.jobs(),
        "run_cpu_s": round(run.cpu_s, 1),
        "run_wall_s": round(run.wall_s, 1),
        "one_document_scheduler_cpu_s": round(more.own_cpu_s, 1),
    }


def long(folder: Path, pages: list[int], figures: dict[str, float], detail: dict[str, Any]) -> None:
    """Documents of many pages; the most memory that a process took over any of them."""
    make_project(folder, {**CONFIG, "shard_pages": 1})
    for count in pages:
        write_long_document(folder / "data" / DATASET / f"p{count}" / "full.pdf", count)
    (folder / "data" / DATASET / "qa").mkdir(exist_ok=True)
    cost = _checked(snakemake(folder, "--until", "index"), "the run over long documents")
    rows = {row["doc_id"]: row for path in folder.glob("indexes/*/.ledger/*.jsonl") for row in files.read_jsonl(path)}
    for count in pages:
        doc_id = f"p{count}"
        peaks = {stage: _measured(folder, stage, doc_id) for stage in LONG_STAGES}
        figures[f"rss_mb_{count}_pages"] = max(float(each["peak_rss_mb"]) for each in peaks.values())
        detail[doc_id] = {"status": rows[doc_id]["status"], "stages": peaks, "memory_mb": 6000}
    detail["long_run_cpu_s"] = round(cost.cpu_s, 1)


def overhead(folder: Path, copies: int, rounds: int, figures: dict[str, float], detail: dict[str, Any]) -> None:
    """The same documents through the workflow and through bare calls, each from nothing."""
    flows, bares, equal = [], [], True
    for _ in range(rounds):
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("workflow", "bare"):
            make_project(folder / name, {**CONFIG, "shard_pages": 100_000})
            copy_documents(ROOT / "data" / "demo", DEMO, folder / name / "data" / DATASET, copies)
        flows.append(_checked(snakemake(folder / "workflow", target=ANSWERS), "the workflow"))
        bare_calls = [sys.executable, "-m", scale_bare.__name__]
        bares.append(_checked(measured(folder / "bare", bare_calls), "the bare calls"))
        equal = equal and _answers(folder / "workflow") == _answers(folder / "bare")
    jobs = min(flow.cpu_s - flow.own_cpu_s for flow in flows)
    bare = min(cost.cpu_s for cost in bares)
    figures["overhead"] = jobs / bare - 1
    figures["overhead_with_scheduler"] = min(flow.cpu_s for flow in flows) / bare - 1
    detail["overhead"] = {
        "documents": copies,
        "rounds": rounds,
        "bare_cpu_s": [round(cost.cpu_s, 2) for cost in bares],
        "jobs_cpu_s": [round(flow.cpu_s - flow.own_cpu_s, 2) for flow in flows],
        "scheduler_cpu_s": [round(flow.own_cpu_s, 2) for flow in flows],
        "answers_equal": equal,
    }


def _checked(cost: Cost, what: str) -> Cost:
    if cost.status:
        raise SystemExit(f"{what} ended with status {cost.status}:\n{cost.output[-3000:]}")
    print(f"{what}: {cost.cpu_s:.1f} s CPU, {cost.wall_s:.1f} s, {cost.own_rss_mb:.0f} MB", flush=True)
    return cost


def _check_taken_as_done(folder: Path) -> None:
    """End where a job made a document again: the copies' stamps then do not fit, and the figures would be others'."""
    for log in sorted((folder / "logs").rglob("*.log")):
        again = re.search(r", ([1-9]\d*) to do$", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        if again:
            raise SystemExit(f"{log}: {again.group(1)} copied documents were made again")


def _artifacts(folder: Path) -> Any:
    for root in ("data", "indexes", "results"):
        yield from (path for path in (folder / root).rglob("*") if path.is_file())


def _measured(folder: Path, stage: str, doc_id: str) -> dict[str, Any]:
    root = "indexes" if stage == "index" else "data"
    value = files.read_json(folder / root / DATASET / doc_id / "measured" / f"{stage}.json")
    return {name: value[name] for name in ("seconds", "peak_rss_mb")}


def _answers(folder: Path) -> dict[str, str]:
    root = folder / "results" / DATASET / "answers"
    return {path.relative_to(root).as_posix(): files.sha256_file(path) for path in sorted(root.rglob("*.jsonl"))}


if __name__ == "__main__":
    raise SystemExit(main())
