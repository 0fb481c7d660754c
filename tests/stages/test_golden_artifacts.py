"""Every stage's artifact of two small documents, byte for byte. `make golden` writes them again: look at the diff."""

import json
import os
from pathlib import Path

import pytest
from benchmarks.small_embedder import small_index
from helpers.golden_documents import DOCUMENTS

from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage

GOLDEN = Path(__file__).parents[1] / "golden"
DATA = (
    "layout.json",
    "content_list.json",
    "content_list.adapted.json",
    "content_list.enhanced.json",
    "doctree.mm.json",
)
INDEX = (
    "summary.json", "dense_coarse.jsonl", "dense_leaf.jsonl", "dense_rows.jsonl", "sparse_coarse.jsonl",
    "sparse_leaf.jsonl", "graph_edges.jsonl", "id_maps.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    here = Path.cwd()
    os.chdir(folder)
    try:
        for doc_id, write in DOCUMENTS.items():
            doc = DocFolder("golden", doc_id, Path("data/golden") / doc_id, Path("indexes/golden") / doc_id)
            doc.data.mkdir(parents=True)
            write(doc.data / "full.pdf")
            for stage, settings in (
                (AdaptStage(), AdaptSettings()),
                (EnhanceStage(), EnhanceSettings()),
                (BuildStage(), BuildSettings()),
                (IndexStage(), small_index()),
            ):
                assert stage.run(doc, settings).status == "ok"
    finally:
        os.chdir(here)
    return folder


def test_the_switch_is_off(regenerate_golden):
    assert not regenerate_golden, "golden artifacts were written again: look at their diff, then run without the switch"


@pytest.mark.parametrize("doc_id", sorted(DOCUMENTS))
@pytest.mark.parametrize("name", [*DATA, *INDEX])
def test_the_artifact_is_as_checked_in(made, doc_id, name, regenerate_golden):
    # contract: D2, D3, D116
    made_file = made / ("data" if name in DATA else "indexes") / "golden" / doc_id / name
    golden = GOLDEN / doc_id / name
    if regenerate_golden:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_bytes(made_file.read_bytes())
    assert made_file.read_text() == golden.read_text()


def test_the_golden_tree_is_what_a_person_would_draw():
    tree = json.loads((GOLDEN / "report" / "doctree.mm.json").read_text())
    outline = [(node["type"], node["level"], node["title"] or node["text"][:30]) for node in tree["nodes"]]
    assert [entry for entry in outline if entry[0] == "section"] == [
        ("section", 1, "1 Harbour traffic"),
        ("section", 2, "1.1 Tonnage"),
    ]
    table = next(node for node in tree["nodes"] if node["type"] == "table")
    assert (table["label"], table["table"]["rows"][2]) == ("Table 1", ["Q2", "104", "731"])
    chart = next(node for node in tree["nodes"] if node["type"] == "image")
    assert (chart["label"], chart["kind"], chart["chart_form"]) == ("Figure 1", "statistical", "line")
    assert {row["reason"] for row in tree["dropped"]} == {"page_number"}
