"""Writes the static site: works from ``file://``, needs no network, and repeats byte for byte.

Measured seconds are no part of its pages: they stand in ``measured/costs.js``, which the pages read when viewed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from cosee.artifacts.results.costs import Costs
from cosee.report import compare_page, document_page, index_page, method_page, question_list, question_page
from cosee.report.kept import DocumentKey, Kept
from cosee.report.site import FOLDERS, Site, script_json
from cosee.report.views import SiteInput

STATIC = ("style.css", "pages.css", "report.js", "questions.js")


def build_site(content: SiteInput, target: Path) -> tuple[list[str], dict[DocumentKey, Kept]]:
    """Write the site below ``target`` and remove what an earlier one left; returns its files below the site, sorted,
    and what it holds of each document."""
    for folder in FOLDERS:
        # Nothing is written through a link that stands where a folder of the site belongs.
        if (target / folder).is_symlink():
            (target / folder).unlink()
    site = Site(target, content)
    static = resources.files("cosee.report") / "static"
    for name in STATIC:
        site.write(f"static/{name}", (static / name).read_bytes())
    site.write("measured/costs.js", _costs_script(content).encode("utf-8"))
    written = {key: site.add_pictures(key) for key in content.digests}
    for document in content.documents:
        written[document.dataset, document.doc_id].append(document_page.write(site, document))
    rows: dict[DocumentKey, dict[str, dict[str, list[Any]]]] = {key: {} for key in content.digests}
    for run in content.runs:
        for key, paths in question_page.write_all(site, run).items():
            written[key] += paths
        for key, listed in question_list.rows_of(site, run).items():
            rows[key][run.name] = listed
        method_page.write_all(site, run)
    compare_page.write_all(site)
    documents = dict(content.kept)
    documents |= {key: Kept(digest, written[key], rows[key]) for key, digest in content.digests.items()}
    index_page.write(site, documents)
    site.remove_stale()
    return sorted(site.written), documents


def _costs_script(content: SiteInput) -> str:
    """Measured costs of each run as a script, since pages from ``file://`` cannot read JSON files."""
    costs = {run.name: _measured(run.costs) for run in content.runs if run.costs is not None}
    return f"window.coseeCosts = {script_json(costs)};\n"


def _measured(costs: Costs) -> Mapping[str, Any]:
    """Median seconds of each method, and of each stage (documents, median and total seconds, MB, tokens)."""
    return {
        "methods": {name: cost.seconds.p50 for name, cost in costs.methods.items() if cost.seconds is not None},
        "stages": [
            [
                name,
                cost.documents,
                cost.seconds.p50 if cost.seconds else None,
                cost.seconds.total if cost.seconds else None,
                cost.peak_rss_mb,
                cost.tokens_in + cost.tokens_out,
            ]
            for name, cost in costs.stages.items()
        ],
    }
