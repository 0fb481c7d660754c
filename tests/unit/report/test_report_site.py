"""The static site: links hold, hostile text stays text, nothing reaches for the network."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, HOSTILE, RUN, board_trace, make_run, make_tree

from cosee.artifacts.metrics import Interval
from cosee.artifacts.trace import TraceEvent
from cosee.report.charts import share_chart
from cosee.report.outline import outline
from cosee.report.question_page import _box
from cosee.report.site import script_json
from cosee.report.traces import MAX_VALUE, board, timeline
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
            if name in ("href", "src"):
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
    assert len(pages) == 1 + 8 + 3
    for path in pages:
        page = Page(path)
        assert len(page.ids) == len(set(page.ids))
        for link in page.links:
            assert "://" not in link and not link.startswith("/"), f"{path.name}: {link}"
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file() and target.is_relative_to(report), f"{path.name}: {link}"
            if anchor:
                assert anchor in Page(target).ids, f"{path.name}: {link}"


def test_hostile_text_stays_text(report: Path) -> None:
    for path in report.rglob("*.html"):
        page = Page(path)
        assert page.tags.count("script") == 2, path.name
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
    assert text.count('<article class="card') == 3
    assert 'id="page-1"' in text and "../../../pages/small/alpha/0001.png" in text
    assert "left:10.0%;top:10.0%;width:60.0%;height:6.0%" in text
    assert "Board (2 cells)" in text and "detail_reader" in text and "title_hit" in text
    assert "MMLongBench" in (report / "index.html").read_text(encoding="utf-8")
    missing = (report / "questions" / RUN / DATASET / "q02.html").read_text(encoding="utf-8")
    assert "No answer was recorded" in missing


def test_index_has_intervals_filters_and_the_constant_row(report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    assert "always “Not answerable”" in text and "whisker" in text
    assert text.count("data-outcomes=") == 8 and 'name="outcome"' in text
    assert "not_a_pdf" in text and "Answers that failed" in text


def test_measured_seconds_stand_apart(report: Path) -> None:
    assert '"cosee":2.0' in (report / "measured" / "costs.js").read_text(encoding="utf-8")


def test_board_and_timeline() -> None:
    events = board_trace().events
    (page,) = board(events)
    assert page.page == 2 and [cell.id for cell in page.cells] == ["1", "2"]
    assert page.cells[1].tags == ["hypothesis"]
    lines = timeline([TraceEvent(type="call", prompt="x" * 5000, none=None, tokens=3)])
    assert lines[0].details[0] == ("prompt", "x" * MAX_VALUE + " … (5000 characters)")
    assert lines[0].details[1] == ("tokens", "3")


def test_board_bears_odd_events() -> None:
    odd = [TraceEvent(type="cell", message="a", view="p2", tags="x"), TraceEvent(type="cell")]
    (page,) = board(odd)
    assert page.page == 0 and [cell.content for cell in page.cells] == ["a", ""]


def test_boxes_stay_on_the_page() -> None:
    (box,) = _box((-0.5, 0.2, 1.7, 0.2), "x" * 999, 1, "support")
    assert (box["left"], box["width"], box["top"], box["height"], len(box["title"])) == (0.0, 100.0, 20.0, 0.4, 300)
    assert _box(None, "", 0, "cell") == []


def test_outline_counts_leaves() -> None:
    root = outline(make_tree("alpha"))
    assert root.title == "Report on alpha" and root.pages == "pages 1–2"
    assert root.children[0].contents == "2 paragraphs"


def test_chart_has_whiskers_only_with_intervals() -> None:
    chart = share_chart([("a", "", 0.5, Interval(low=0.25, high=0.75)), ("b" * 40, "", None, None)])
    assert chart.bars[0].low is not None and chart.bars[0].low < chart.left + chart.bars[0].width < chart.bars[0].high
    assert chart.bars[1].low is None and chart.bars[1].text == "–" and len(chart.bars[1].name) == 22


def test_script_json_cannot_end_its_element() -> None:
    assert "</" not in script_json({"</script>": "\u2028"}) and "\u2028" not in script_json("\u2028")
