"""A whole project in a temporary folder: its own copy of the source, the workflow and a small corpus."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pymupdf
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "datasets": ["tiny"],
    "shard_pages": 4,
    "index": INDEX,
    "limits": {"seconds": 60, "memory_mb": 2000},
    "evaluate": {"bootstrap": 50},
    "runs": {
        "tiny": {"datasets": ["tiny"], "methods": ["constant", "page_rag", {"strategy": "cosee", "max_steps": 2}]}
    },
}
TOPICS = {
    "alpha": ("Alpha River Survey", "The river was 42 metres wide at the old bridge.", "How wide was the river?", "42"),
    "beta": ("Beta Mill Accounts", "The mill earned 310 crowns from flour in 1899.", "What did the mill earn?", "310"),
    "gamma": (
        "Gamma School Report",
        "The school had 57 pupils in the autumn term.",
        "How many pupils were there?",
        "57",
    ),
}


def write_document(path: Path, title: str, fact: str) -> None:
    """Two pages: a heading with the fact under it, and a second section. The same input gives the same bytes."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 90), title, fontsize=20, fontname="hebo")
    page.insert_textbox((72, 120, 520, 200), f"{fact} It was measured twice, and both readings agreed.", fontsize=11)
    page.insert_text((72, 230), "Methods", fontsize=14, fontname="hebo")
    page.insert_textbox((72, 250, 520, 330), "Everything was written down by hand in a small green book.", fontsize=11)
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 90), "Outlook", fontsize=14, fontname="hebo")
    page.insert_textbox((72, 110, 520, 200), "The work goes on next year with a larger party.", fontsize=11)
    document.set_metadata({"title": title})
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, no_new_id=True)


def write_questions(folder: Path, topics: dict[str, tuple[str, str, str, str]]) -> None:
    rows = [
        {
            "question_id": f"{doc_id}-1",
            "doc_id": doc_id,
            "question": question,
            "answer": answer,
            "answer_format": "Int",
            "evidence_pages": [1],
        }
        for doc_id, (_, _, question, answer) in sorted(topics.items())
    ]
    path = folder / "qa" / "questions.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows), encoding="utf-8")


class Project:
    """A project folder and the commands that a user types in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data" / "tiny"
        self.results = folder / "results"

    @classmethod
    def create(cls, folder: Path, config: dict | None = None) -> "Project":
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("src", "workflow", "profiles"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        shutil.copy(ROOT / "Snakefile", folder)
        (folder / "config").mkdir()
        shutil.copy(ROOT / "config" / "models.yaml", folder / "config")
        shutil.copytree(ROOT / "config" / "presets", folder / "config" / "presets")
        write_small_embedder(folder / FOLDER)
        project = cls(folder)
        project.configure(config or CONFIG)
        for doc_id, (title, fact, _, _) in TOPICS.items():
            write_document(project.data / doc_id / "full.pdf", title, fact)
        write_questions(project.data, TOPICS)
        return project

    def copy(self, folder: Path) -> "Project":
        """The same project elsewhere, times of files kept, Snakemake's memory with it."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def configure(self, config: dict) -> None:
        (self.folder / "config" / "config.yaml").write_text(json.dumps(config, indent=1))  # JSON is YAML

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "XDG_CACHE_HOME": str(self.folder / ".xdg"),
        }

    def command(self, *options: str) -> list[str]:
        """With ``-p``, which prints each job in Snakemake's own words."""
        return [sys.executable, "-m", "snakemake", "--cores", "2", "-p", *options]

    def snakemake(
        self, *options: str, target: str = "results/metrics_summary.json"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*options, *([target] if target else [])),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def run(self, *options: str) -> str:
        """Run and expect success; returns what Snakemake printed."""
        result = self.snakemake(*options)
        assert result.returncode == 0, result.stdout + result.stderr + self.logs()
        return result.stdout + result.stderr

    def planned(self, *options: str) -> set[str]:
        """Jobs of a dry run as ``rule:shard`` or ``rule:method``."""
        result = self.snakemake("-n", *options)
        assert result.returncode == 0, result.stdout + result.stderr
        return jobs_in(result.stdout + result.stderr)

    def done(self, *options: str) -> set[str]:
        """Jobs that a run ran, which must succeed and leave nothing to do."""
        jobs = jobs_in(self.run(*options))
        assert self.planned() == set(), "the next call should have nothing to do"
        return jobs

    def logs(self) -> str:
        return "".join(f"\n--- {path}\n{path.read_text()}" for path in sorted((self.folder / "logs").rglob("*.log")))

    def stamps(self, stage: str) -> dict[str, int]:
        """doc_id -> mtime of its stamp: changes when the document was processed, not when it was skipped."""
        root = self.folder / ("indexes" if stage in ("index", "questions") else "data") / "tiny"
        return {path.parent.parent.name: path.stat().st_mtime_ns for path in root.glob(f"*/.stamps/{stage}.json")}

    def artifacts(self) -> dict[str, bytes]:
        """Every file under the byte promise."""
        outside = {"measured", "logs", ".stamps", ".shards", ".code", "journal", ".cache", ".snakemake", "costs.json"}
        found = {}
        for root in ("data", "indexes", "results"):
            for path in sorted((self.folder / root).rglob("*")):
                relative = path.relative_to(self.folder)
                if path.is_file() and not outside & set(relative.parts) and path.suffix != ".lock":
                    found[relative.as_posix()] = path.read_bytes()
        return found


def jobs_in(output: str) -> set[str]:
    """``rule:wildcard`` of each job in Snakemake's output (``adapt:0000``, ``collect:cosee``, ``summarize``)."""
    jobs, rule = set(), None
    for line in output.splitlines():
        words = line.strip().split(":", 1)
        if words[0].split(" ")[-1] != "" and line.strip().startswith(("rule ", "localrule ")):
            rule = line.strip().split()[1].rstrip(":")
            jobs.add(rule)
        elif rule and line.strip().startswith("wildcards:"):
            values = dict(part.split("=") for part in line.split(":", 1)[1].replace(" ", "").split(","))
            jobs.discard(rule)
            jobs.add(":".join([rule, *[values[key] for key in ("method", "shard") if key in values]]))
    return jobs - {"all"}
