"""The static site: links hold, hostile text stays text, nothing reaches for the network."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, HOSTILE, RUN, board_trace, make_run, make_tree

from cosee.artifacts.results.metrics import Interval
from cosee.artifacts.results.trace import TraceEvent
from cosee.report.board import board
from cosee.report.charts import Share, difference_plot, share_plot, signed, stack
from cosee.report.details import details
from cosee.report.navigation import navigation
from cosee.report.node_names import NodeNames
from cosee.report.outline import outline
from cosee.report.question_page import _add_box
from cosee.report.site import script_json
from cosee.report.thresholds import FIRST_PAGES_SHOWN, TEXT_CHARACTERS
from cosee.report.tool_calls import tool_calls
from cosee.report.traces import timeline
from cosee.report.views import DocumentView, pages_of_document
from cosee.stages import evaluate, summarize


class Page(HTMLParser):
    """Collects tags, links and ids."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append(name)
            if name in ("href", "src") and value != "data:,":
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site")
    make_run(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        methods = ["constant", "page_rag", "cosee"]
        assert evaluate.main(["--run", RUN, "--methods", *methods, "--datasets", DATASET]) == 0
        assert summarize.main(["--runs", RUN]) == 0
    return root / "results" / "report"


def test_every_link_leads_to_a_file_of_the_site(report: Path) -> None:
    pages = sorted(report.rglob("*.html"))
    assert len(pages) == 1 + 8 + 3 + 3 + 4
    for path in pages:
        page = Page(path)
        assert len(page.ids) == len(set(page.ids))
        for link in page.links:
            assert "://" not in link and not link.startswith("/"), f"{path.name}: {link}"
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            beside = target.is_relative_to(report.parent / RUN) and target.suffix in (".ndjson", ".jsonl")
            assert target.is_file() and (target.is_relative_to(report) or beside), f"{path.name}: {link}"
            anchor = anchor.partition("&")[0]
            if anchor:
                assert anchor in Page(target).ids, f"{path.name}: {link}"


def test_hostile_text_stays_text(report: Path) -> None:
    for path in report.rglob("*.html"):
        page = Page(path)
        assert page.tags.count("script") == (4 if path.name == "index.html" else 2), path.name
        assert not [name for name in page.attributes if name.startswith("on")], path.name
    text = (report / "questions" / RUN / DATASET / "q06.html").read_text(encoding="utf-8")
    assert HOSTILE not in text and "&lt;script&gt;alert(" in text


def test_nothing_is_loaded_from_elsewhere(report: Path) -> None:
    for path in [*report.rglob("*.html"), *report.rglob("*.css"), *report.rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|@import|fetch\(|XMLHttpRequest", text), path.name


def test_question_page_shows_answers_pages_board_and_retrieval(report: Path) -> None:
    # contract: D107, D118
    text = (report / "questions" / RUN / DATASET / "q01.html").read_text(encoding="utf-8")
    assert text.count('<article class="method"') == 3
    assert 'id="page-1"' in text and "../../../pages/small/alpha/0001.webp" in text
    assert "left:10.0%;top:10.0%;width:60.0%;height:6.0%" in text
    assert "Board: 2 cells in 1 round" in text and "detail reader" in text and "title_hit" in text
    assert "the same list as" in text, "cosee ranks as page_rag does"
    missing = (report / "questions" / RUN / DATASET / "q02.html").read_text(encoding="utf-8")
    assert "No answer was recorded" in missing


def test_index_has_intervals_filters_and_the_constant_row(report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    assert "always “Not answerable”" in text and "whisker" in text and "MMLongBench" in text
    assert 'name="method"' in text and "lists/trial.js" in text
    assert "not_a_pdf" in text and "Failed answers" in text


def test_list_has_a_row_a_question_with_what_became_of_it(report: Path) -> None:
    text = (report / "lists" / f"{RUN}.js").read_text(encoding="utf-8")
    rows = {row[0]: row for row in json.loads(text.split("push(", 1)[1].rsplit(")", 1)[0])["rows"]}
    assert len(rows) == 8
    first = rows[f"questions/{RUN}/{DATASET}/q01.html"]
    assert first[1:3] == ["How many ships were built?", "1,204"] and first[6:] == ["ARR", "---", "nrr"]
    assert rows[f"questions/{RUN}/{DATASET}/q02.html"][6] == "AMR"


def test_method_page_compares_and_links_to_its_questions(report: Path) -> None:
    text = (report / "methods" / RUN / "cosee.html").read_text(encoding="utf-8")
    assert "Against the other methods" in text and "Where answers are lost" in text and "page coverage" in text
    assert "index.html#questions&amp;run=trial&amp;method=cosee&amp;outcome=wrong" in text


def test_document_page_draws_its_nodes_on_its_pages(report: Path) -> None:
    text = (report / "documents" / DATASET / "alpha.html").read_text(encoding="utf-8")
    assert text.count('loading="lazy"') == 2
    assert '<rect class="n-paragraph" x="10.0%" y="10.0%" width="60.0%" height="6.0%"><title>t_0 paragraph' in text
    assert "text in the tree" in text and "97.0 %" in text


def test_measured_costs_stand_apart(report: Path) -> None:
    assert '"methods":{"cosee":2.0}' in (report / "measured" / "costs.js").read_text(encoding="utf-8")


def test_board_keeps_rounds_and_what_cells_rest_on() -> None:
    found = board(board_trace().events)
    assert found is not None and found.rounds == 1 and found.cells == 2
    (page,) = found.pages
    assert page.page == 2 and [cell.id for cell in page.cells] == ["1", "2"]
    assert page.cells[1].tags == ["hypothesis"]
    said = {"action": "HYPOTHESIZE", "supporting_cells": [1, 2], "confidence": 0.5, "target_cell_id": 1}
    cell = TraceEvent(type="cell", step=3, id=4, details=said)
    found = board([cell])
    assert found is not None and found.rounds == 3
    assert found.pages[0].cells[0].supports == ("1", "2") and found.pages[0].cells[0].target == "1"


def test_board_bears_odd_events() -> None:
    odd = [TraceEvent(type="cell", message="a", view="p2", tags="x", details=3), TraceEvent(type="cell")]
    found = board(odd)
    assert found is not None
    assert found.pages[0].page == 0 and [cell.content for cell in found.pages[0].cells] == ["a", ""]
    assert board([TraceEvent(type="start")]) is None


def test_timeline_is_bounded_and_joins_tokens() -> None:
    usage = {"tokens_in": 4, "tokens_out": 2, "images": 0, "tokens_cached": 1, "calls": 1}
    events = [
        TraceEvent(type="result", reply="x" * 5000, none=None, count=3),
        TraceEvent(type="call", author="reader", usage=usage, schema="PageAnswer"),
        *[TraceEvent(type="token", author="a", content=part) for part in ("six ", "sub", "skills")],
    ]
    result, call, token = timeline(events)
    assert [(each.key, each.kind) for each in result.details] == [("count", "text"), ("reply", "text")]
    assert result.details[1].more == 5000 - TEXT_CHARACTERS
    assert call.message == "PageAnswer, 4 tokens in, 2 out, 1 cached" and call.details == []
    assert token.message == "six subskills"


def test_details_show_pages_lists_and_records() -> None:
    chunks = [{"_REF_ID": "r", "page_number": 2, "score": 0.5, "text": "word " * 30, "nodes": [1]}] * 9
    kinds = {each.key: each for each in details({"objects": chunks, "pages": [3, 1], "hints": ["a", "b"]})}
    assert kinds["pages"].pages == [3, 1] and kinds["hints"].entries == ["a", "b"]
    assert kinds["objects"].columns == ["page_number", "score", "text"] and kinds["objects"].more == 3
    assert kinds["objects"].numeric == [True, True, False]


def test_navigation_shows_plan_observers_hypothesis_and_replan() -> None:
    names = NodeNames(make_tree("alpha"))
    seen = [{"modality": "text", "node_id": "t_0", "payload": {"anchors": {"page_idx": 0}, "raw_text": "Page 1"}}]
    way = navigation(
        [
            TraceEvent(type="decision", author="router", message="NORMAL", reason="plain"),
            TraceEvent(type="plan", step=1, message="go", directives=[{"action": "MOVE_TO", "target": "P1"}, 7]),
            TraceEvent(type="observation", author="text_observer", message="1 node", observations=seen),
            TraceEvent(type="hypothesis", message="1,204", confidence=0.2, support_nodes=["t_0"], quotes=["Page 1"]),
            TraceEvent(type="replan", message="too unsure", look_for="ships"),
            TraceEvent(type="complete", path=[{"steps": [{"src": "doc", "dst": "t_0", "edge": "page"}]}, 3]),
        ],
        names,
    )
    assert way is not None and way.decisions == ["NORMAL: plain"]
    (only,) = way.rounds
    assert [(move.target, move.name) for move in only.moves] == [("P1", "page 2")]
    assert only.observers[0].seen.rows == [["t_0", "1", "Page 1"]]
    assert only.support == [("t_0", "Page 1 of alpha")] and only.look_for == "ships"
    assert [step.name for step in way.paths[0]] == ["Report on alpha", "Page 1 of alpha"]
    assert navigation([TraceEvent(type="plan", message="hints only", hints=["a"])], names) is None


def test_tool_calls_hold_results_and_errors() -> None:
    steps = tool_calls(
        [
            TraceEvent(type="decision", step=1, tool="search", inputs={"query": "q"}, reasoning="first"),
            TraceEvent(type="result", objects=[{"page_number": 1, "text": "t"}], payload_type="chunks", message="1"),
            TraceEvent(type="error", message="nothing more", suggestion="stop"),
            TraceEvent(type="decision", step=2, tool="text_response", inputs=None, should_end=True),
            TraceEvent(type="result", objects="odd", payload_type="answer"),
        ]
    )
    assert [(step.tool, step.inputs, step.ends) for step in steps] == [
        ("search", "query: q", False),
        ("text_response", "", True),
    ]
    assert steps[0].results[0].kind == "chunks" and steps[0].errors == ["nothing more. stop"]
    assert steps[1].results[0].count == 0


def test_boxes_stay_on_the_page_and_are_shared() -> None:
    boxes: dict[tuple[object, ...], dict[str, object]] = {}
    _add_box(boxes, (-0.5, 0.2, 1.7, 0.2), "x" * 999, 1)
    _add_box(boxes, (-0.5, 0.2, 1.7, 0.2), "again", 4)
    _add_box(boxes, None, "nowhere", 2)
    (box,) = boxes.values()
    assert box["place"] == (0.0, 20.0, 100.0, 0.4) and box["methods"] == [1, 4] and len(str(box["title"])) < 200


def test_outline_counts_leaves() -> None:
    root = outline(make_tree("alpha"))
    assert root.title == "Report on alpha" and root.pages == "pages 1–2"
    assert root.children[0].contents == "2 paragraphs"


def test_plots_place_values_in_percent_of_the_axis() -> None:
    plot = share_plot([Share("a", 0.3, Interval(low=0.2, high=0.35)), Share("b", None)], line=0.1)
    first, second = plot.points
    assert (first.x, first.low, first.high, plot.line) == (75.0, 50.0, 87.5, 25.0)
    assert second.x is None and second.text == "–" and plot.ticks[-1][1] == "0.4"
    turned = difference_plot([Share("a", -0.05), Share("b", 0.1)])
    assert [point.x for point in turned.points] == [25.0, 100.0] and turned.points[0].text == "-0.050"
    bar = stack("a", {"right": 1, "wrong": 3}, {"wrong": "lost", "other": "none", "right": "found"})
    assert [(part.name, part.x, part.width) for part in bar.parts] == [("lost", 0.0, 75.0), ("found", 75.0, 25.0)]


def test_script_json_cannot_end_its_element() -> None:
    assert "</" not in script_json({"</script>": "\u2028"}) and "\u2028" not in script_json("\u2028")


def test_a_small_report_has_a_picture_of_every_page_and_a_large_one_of_the_first() -> None:
    tree = make_tree("a")
    infos = [tree.pages[0].model_copy(update={"page_idx": page}) for page in range(FIRST_PAGES_SHOWN + 3)]
    document = DocumentView("d", "a", tree.model_copy(update={"pages": infos}))
    assert pages_of_document(document, all_of_it=True) == {("d", "a", page + 1) for page in range(len(infos))}
    assert pages_of_document(document, all_of_it=False) == {("d", "a", page + 1) for page in range(FIRST_PAGES_SHOWN)}
    assert pages_of_document(DocumentView("d", "none", None), all_of_it=True) == set()


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert [signed(value) for value in (-0.0004, 0.0, 0.0123, -0.2)] == ["0.000", "0.000", "+0.012", "-0.200"]
