from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.content_lists import Pages
from PIL import Image

from cosee.artifacts.documents.chart import ChartData, ChartPoint, ChartSeries
from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import EnhanceSettings
from cosee.models.calls import ModelError
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.stage import DocFolder
from cosee.reader.client import EmbeddedClient
from cosee.stages.enhance import EnhanceStage
from cosee.structure.captions.describe import chart_values
from cosee.structure.captions.look_at_figures import DESCRIBED, look_at_figures
from cosee.structure.enhance import enhance

PHOTO = json.dumps({"kind": "photo", "description": "A grey\nsquare."})
BARS = json.dumps({"kind": "statistical", "chart_form": "bar", "description": "Bars that grow from 1 to 9."})
LINES = ChartData(form="line", series=[ChartSeries(color="#ff0000", points=[ChartPoint(x=2019, y=12.5)])])


def adapted(folder: Path, figures: int = 2, chart: ChartData | None = None) -> ContentList:
    (folder / "images").mkdir(parents=True, exist_ok=True)
    pages = Pages()
    for n in range(figures):
        Image.new("RGB", (20 + n, 20), "grey").save(folder / "images" / f"{n}.png")
        extra = {"chart": chart, "chart_form": "line", "kind": "statistical"} if chart is not None and n == 0 else {}
        pages.image(image_path=f"images/{n}.png", **extra)
        pages.add(f"Figure {n + 1}: The hall.")
    return pages.adapted()


def test_the_model_sees_each_crop_with_its_caption(tmp_path: Path) -> None:
    # contract: D21
    content = enhance(adapted(tmp_path))
    client = ScriptedClient([PHOTO, BARS])
    assert look_at_figures(content, tmp_path, client, 10) == (2, [])
    first, second = [item for item in content.items if item.role == "image"]
    assert (first.kind, first.chart_type, first.chart_form, first.description) == (
        "photo",
        "photo",
        None,
        "A grey square.",
    )
    assert (second.kind, second.chart_type, second.chart_form) == ("statistical", "statistical", "bar")
    assert DESCRIBED in first.flags
    (message,) = client.received[1]
    image, node = message.first("image"), message.first("node")
    assert image is not None and image.image is not None and image.image.path == tmp_path / "images/1.png"
    assert node is not None and "Figure 2: The hall." in node.text


def test_what_was_read_from_paths_stands(tmp_path: Path) -> None:
    content = enhance(adapted(tmp_path, 1, LINES))
    look_at_figures(content, tmp_path, ScriptedClient([BARS]), 10)
    (figure,) = [item for item in content.items if item.role == "image"]
    assert (figure.chart_form, figure.chart) == ("line", LINES)
    assert figure.description == "Bars that grow from 1 to 9."


@pytest.mark.parametrize("fault", [ModelError("no connection"), "no JSON here"])
def test_a_failure_is_a_warning_and_the_own_description_stays(tmp_path: Path, fault: str | ModelError) -> None:
    content = enhance(adapted(tmp_path, 1))
    before = content.model_copy(deep=True)
    described, warnings = look_at_figures(content, tmp_path, ScriptedClient([fault], repeat_last=True), 10)
    assert described == 0 and len(warnings) == 1 and warnings[0].startswith("img_0: ")
    assert content == before


def test_calls_are_bounded_and_a_blind_model_is_not_called(tmp_path: Path) -> None:
    content = enhance(adapted(tmp_path, 3))
    client = ScriptedClient([PHOTO], repeat_last=True)
    described, warnings = look_at_figures(content, tmp_path, client, 2)
    assert described == 2 and len(client.received) == 2 and "1 figures beyond" in warnings[0]
    assert "sees no images" in look_at_figures(content, tmp_path, EmbeddedClient(), 2)[1][0]


def test_the_stage_journals_the_calls(tmp_path: Path) -> None:
    folder = DocFolder("d", "one", tmp_path / "d" / "one", tmp_path / "i")
    adapted(folder.data).save(folder.data / "content_list.adapted.json")
    models = tmp_path / "models.yaml"
    entry = {"kind": "scripted", "replies": [PHOTO], "repeat_last": True}
    models.write_text(json.dumps({"models": {"eye": entry}}), encoding="utf-8")
    settings = EnhanceSettings(figure_model="eye")
    assert settings.opens_model and not EnhanceSettings().opens_model
    result = EnhanceStage(models).run(folder, settings)
    assert result.counts["described"] == 2 and result.message is None
    journal = tmp_path / "d" / ".journal" / "enhance" / "one.jsonl"
    rows = journal.read_text(encoding="utf-8")
    assert len(rows.splitlines()) == 2
    first = result.outputs[0].read_bytes()
    assert EnhanceStage(models).run(folder, settings).outputs[0].read_bytes() == first
    assert journal.read_text(encoding="utf-8") == rows


def test_values_are_told_in_words() -> None:
    bars = [ChartPoint(label="A", y=50), ChartPoint(label="B", y=None)]
    chart = ChartData(form="bar", series=[ChartSeries(name="North", color="#0000ff", points=bars)])
    assert chart_values(chart) == "Read from its paths: 1 series. North: A 50."
    assert chart_values(LINES) == "Read from its paths: 1 series. Series 1: 2019 12.5."
