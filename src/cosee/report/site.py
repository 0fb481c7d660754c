"""The folder of the static site while it is written: where each page is, and what all pages share."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError, safe_name
from cosee.evaluation.results import QuestionResult
from cosee.report.charts import signed
from cosee.report.kept import DocumentKey
from cosee.report.node_names import NodeNames
from cosee.report.pictures import SUFFIX, load_picture
from cosee.report.views import PageFile, RunView, SiteInput

FOLDERS = ("questions", "methods", "compare", "documents", "pages", "static", "lists", "measured")


def templates() -> Environment:
    """The templates of every page, which escape whatever they are given."""
    environment = Environment(
        loader=PackageLoader("cosee.report"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["words"] = lambda name: str(name).replace("_", " ")
    environment.filters["signed"] = signed
    environment.filters["anchor"] = lambda page: safe_name(str(page))
    return environment


def script_json(value: Any) -> str:
    """JSON that no text inside can end the script element with."""
    return files.canonical_json(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pages_folder(dataset: str, doc_id: str) -> str:
    """Where the pictures of a document's pages are, below the site, with the slash at its end."""
    return f"pages/{safe_name(dataset)}/{safe_name(doc_id)}/"


class Site:
    """The folder under construction: names, links and the files written so far."""

    def __init__(self, target: Path, content: SiteInput) -> None:
        self.target = target
        self.content = content
        self.written: set[str] = {name for kept in content.kept.values() for name in kept.written}
        self.pictures: dict[tuple[str, str, int], tuple[str, int, int] | str] = {}
        """Page -> (path below the site, width, height), or a note that says why there is no picture."""
        self._present = set(content.present)
        self._names = {(each.dataset, each.doc_id): NodeNames(each.tree) for each in content.documents}
        self._questions: dict[tuple[str, str, str], list[int]] = {}
        for run in content.runs:
            for position, result in enumerate(run.questions):
                key = (run.name, result.dataset, result.question.doc_id)
                self._questions.setdefault(key, []).append(position)
        self._pages: dict[DocumentKey, list[tuple[int, PageFile]]] = {}
        for (dataset, doc_id, number), page in sorted(content.pages.items()):
            self._pages.setdefault((dataset, doc_id), []).append((number, page))
        self._environment = templates()

    def question_path(self, run: str, dataset: str, question_id: str) -> str:
        """Where a question's page is, below the site."""
        return f"questions/{safe_name(run)}/{safe_name(dataset)}/{safe_name(question_id)}.html"

    def method_path(self, run: str, method: str) -> str:
        """Where a method's page is, below the site."""
        return f"methods/{safe_name(run)}/{safe_name(method)}.html"

    def list_path(self, run: str) -> str:
        """Where the rows of a run's questions are, below the site."""
        return f"lists/{safe_name(run)}.js"

    def document_path(self, dataset: str, doc_id: str) -> str | None:
        """Where a document's page is, below the site; None for a document that there is not."""
        if (dataset, doc_id) not in self._present:
            return None
        return f"documents/{safe_name(dataset)}/{safe_name(doc_id)}.html"

    def trace_path(self, run: str, method: str, dataset: str, question_id: str) -> str:
        """Where the trace file is, seen from the site, as a link."""
        return "../" + quote(f"{run}/traces/{method}/{dataset}/{safe_name(question_id)}.ndjson")

    def predictions_path(self, run: str, method: str) -> str:
        """Where a method's predictions are, seen from the site, as a link."""
        return "../" + quote(f"{run}/predictions/{method}.jsonl")

    def anchor(self, method: str) -> str:
        """The id of a method's answer on the page of a question."""
        return "m-" + re.sub(r"[^A-Za-z0-9_-]", "-", method)

    def names(self, dataset: str, doc_id: str) -> NodeNames:
        """Words for the nodes of a document."""
        return self._names.get((dataset, doc_id)) or NodeNames(None)

    def questions_of(self, run: RunView, document: DocumentKey) -> list[tuple[int, QuestionResult]]:
        """The run's questions about a document, each with its position among the results of the run."""
        positions = self._questions.get((run.name, *document), [])
        return [(position, run.questions[position]) for position in positions]

    def page(self, path: str, template: str, **values: Any) -> None:
        """Render a template to ``path`` below the site; links inside it start with ``root``."""
        root = "../" * path.count("/")
        self.write(path, self._environment.get_template(template).render(root=root, **values).encode("utf-8"))

    def write(self, path: str, data: bytes) -> None:
        """Write a file below the site, unless it is there with these bytes."""
        target = self.target / path
        self.written.add(path)
        if target.is_file() and not target.is_symlink() and target.read_bytes() == data:
            return
        files.write_bytes(target, data)

    def add_pictures(self, document: DocumentKey) -> list[str]:
        """Copy a document's rendered pages into the site and return their paths; a file that is no picture becomes a
        note."""
        paths = []
        for number, page in self._pages.get(document, ()):
            key = (*document, number)
            if page.picture is None:
                self.pictures[key] = page.note
                continue
            try:
                data, width, height = load_picture(page.picture)
            except (ArtifactError, OSError) as error:
                self.pictures[key] = f"This page could not be shown ({type(error).__name__})."
                continue
            path = f"{pages_folder(*document)}{number:04d}.{SUFFIX}"
            self.write(path, data)
            self.pictures[key] = (path, width, height)
            paths.append(path)
        return paths

    def remove_stale(self) -> None:
        """Delete what an earlier site left in the site's own folders; whatever else lies beside them stays."""
        for folder in FOLDERS:
            for parent, folders, names in os.walk(self.target / folder, topdown=False):
                below = os.path.relpath(parent, self.target)
                stale = [name for name in names if f"{below}/{name}" not in self.written]
                for path in [Path(parent, name) for name in stale] + [Path(parent, name) for name in folders]:
                    if not path.is_dir() or path.is_symlink():
                        path.unlink(missing_ok=True)
                if not any(Path(parent).iterdir()):
                    Path(parent).rmdir()
