"""Nothing is lost from page to tree: every document of the demo and of the golden artifacts; the cases have the same
check in ``test_cases``, generated lists in the tests of the adapter, the enhancer and below."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.conservation import conservation_problems
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.layout import Layout, LayoutBlock, LayoutPage, Line, Span
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.parse.content.adapt import adapt, unaccounted
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.structure.enhance import check_conservation, enhance
from cosee.structure.tree.tree_builder import build_tree

PROJECT = Path(__file__).resolve().parents[2]
DEMO = sorted(path.parent.name for path in (PROJECT / "data" / "demo").glob("*/full.pdf"))
GOLDEN = sorted(path.parent.name for path in (PROJECT / "tests" / "golden").glob("*/doctree.mm.json"))


@pytest.mark.parametrize("doc_id", DEMO)
def test_demo_documents_lose_nothing_and_their_ledger_says_so(doc_id: str, tmp_path: Path) -> None:
    # contract: D22
    doc = DocFolder("demo", doc_id, tmp_path, tmp_path)
    (tmp_path / "full.pdf").write_bytes((PROJECT / "data" / "demo" / doc_id / "full.pdf").read_bytes())
    adapted = AdaptStage().run(doc, AdaptSettings(ocr="none")).counts
    enhanced = EnhanceStage().run(doc, EnhanceSettings()).counts
    built = BuildStage().run(doc, BuildSettings()).counts
    assert conservation_problems(tmp_path) == []
    assert adapted["blocks"] == adapted["blocks_kept"] + adapted["blocks_dropped"] > 0
    assert adapted["items"] + adapted["dropped"] == enhanced["items"] + enhanced["dropped"]
    assert built["items"] == built["nodes"] - 1
    assert (built["items"], built["dropped"]) == (enhanced["items"], enhanced["dropped"])


def test_there_are_documents_to_check() -> None:
    assert len(DEMO) >= 3 and len(GOLDEN) >= 2


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_artifacts_lose_nothing(name: str) -> None:
    # contract: D22
    assert conservation_problems(PROJECT / "tests" / "golden" / name) == []


TEXT = st.sampled_from(
    ["1 Scope", "Plain words that go on and on here.", "Figure 1: Flow.", "Table 2 Yields", "• one", "12", "", "  ",
     "Page 3 of 9", "第一章 概述", "see note 1", "a", "ﬁgures", "x = y (1)"]
)  # fmt: skip
PLACE = st.tuples(st.integers(20, 400), st.integers(20, 700), st.integers(5, 190), st.integers(5, 80))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    pages = []
    for page_idx in range(draw(st.integers(1, 4))):
        blocks = []
        for number in range(draw(st.integers(0, 9))):
            x, y, wide, high = draw(PLACE)
            box = (float(x), float(y), float(x + wide), float(y + high))
            kind = draw(st.sampled_from(["text"] * 5 + ["image", "drawing", "table"]))
            span = Span(text=draw(TEXT), bbox=box, size=draw(st.sampled_from([8.0, 10.0, 16.0])), font="F")
            blocks.append(
                LayoutBlock(
                    id=f"b{page_idx}_{number}",
                    kind=kind,
                    bbox=box,
                    lines=[Line(bbox=box, spans=[span])] * draw(st.integers(0, 2)),
                    rows=[[draw(TEXT), draw(TEXT)]] if kind == "table" else None,
                    image_sha256="0" * 64 if kind == "image" and draw(st.booleans()) else None,
                    flags=draw(st.sampled_from([[], [], [], ["hidden"], ["decoration"], ["ocr"], ["page_scan"]])),
                )
            )
        pages.append(LayoutPage(page_idx=page_idx, width=612, height=792, blocks=blocks))
    return Layout(doc_id="doc", parser="test", pages=pages)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(layouts())
def test_generated_pages_lose_nothing(layout: Layout) -> None:
    # contract: D22, D24
    adapted = adapt(layout)
    assert unaccounted(layout.block_ids, adapted) == []
    enhanced = enhance(adapted)
    assert check_conservation(adapted, enhanced) == []
    assert _ids(build_tree(enhanced)) == sorted(item.id for item in [*adapted.items, *adapted.dropped])


def _ids(tree: DocTree) -> list[str]:
    assert tree.quality.problems == []
    return sorted([item_id for node in tree.nodes for item_id in node.item_ids] + [item.id for item in tree.dropped])


def test_a_lost_item_is_found(tmp_path: Path) -> None:
    golden = PROJECT / "tests" / "golden" / GOLDEN[0]
    for name in ("layout.json", "content_list.adapted.json", "content_list.enhanced.json", "doctree.mm.json"):
        (tmp_path / name).write_bytes((golden / name).read_bytes())
    enhanced = ContentList.load(tmp_path / "content_list.enhanced.json")
    gone = enhanced.items.pop()
    enhanced.save(tmp_path / "content_list.enhanced.json")
    assert any(gone.id in problem for problem in conservation_problems(tmp_path))
