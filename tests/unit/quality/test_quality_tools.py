"""Tools that compare with a reference: their scores, what they refuse, and those that need a working torchvision."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.pictures import page
from PIL import Image

from cosee.imaging.measure import measure_picture
from cosee.quality import picture_measures
from cosee.quality.comparison import MEASURES, PSNR_BORDERS
from cosee.quality.executor import execute
from cosee.quality.plan import PlannerOutput
from cosee.quality.rules import plan_by_rules
from cosee.quality.tools import Subject, applicable, find_tool, nearest

PIQ = [name for name, measure in MEASURES.items() if measure.missing is picture_measures.unavailable]
OWN = [name for name in MEASURES if name not in PIQ]


def subject(image: Image.Image, reference: Image.Image | None) -> Subject:
    return Subject(image, measure_picture(image), reference)


def runs(name: str) -> bool:
    return MEASURES[name].missing() is None


@pytest.fixture
def fresh_check() -> Iterator[None]:
    """The answer of the check is kept; here it is asked anew."""
    picture_measures.unavailable.cache_clear()
    yield
    picture_measures.unavailable.cache_clear()


@pytest.mark.parametrize("name", list(MEASURES))
def test_a_score_falls_as_the_picture_gets_worse(name: str) -> None:
    # contract: P18
    if not runs(name):
        pytest.skip(str(MEASURES[name].missing()))
    tool = find_tool(name)
    assert tool is not None and tool.needs_reference
    scores = [tool.run(subject(page(blur), page())).score for blur in (0.0, 0.7, 1.5, 3.0)]
    assert scores[0] == 5.0 and scores == sorted(scores, reverse=True) and scores[-1] < 2.5


def test_borders_of_classes_are_halves_between_scores() -> None:
    psnr = MEASURES["PSNR"]
    assert [psnr.score(border) for border in PSNR_BORDERS] == [1.5, 2.5, 3.5, 4.5]
    assert (psnr.score(0.0), psnr.score(28.0), psnr.score(100.0)) == (1.0, 3.0, 5.0)
    nrmse = MEASURES["NRMSE"]
    assert (nrmse.score(0.0), nrmse.score(9.0)) == (5.0, 1.0), "less is better"
    assert [nrmse.score(border) for border in nrmse.borders] == [1.5, 2.5, 3.5, 4.5]


def test_values_are_those_of_their_formulas() -> None:
    reference = np.random.default_rng(1).integers(0, 256, (40, 60)).astype(np.uint8)
    shifted = np.clip(reference.astype(int) + 10, 0, 255).astype(np.uint8)
    first, second = Image.fromarray(shifted), Image.fromarray(reference)
    error = float(np.sqrt(((shifted.astype(float) - reference) ** 2).mean()))
    assert MEASURES["PSNR"].compare(first, second) == pytest.approx(20 * np.log10(255 / error))
    assert MEASURES["NRMSE"].compare(first, second) == pytest.approx(error / reference.std())
    assert MEASURES["NMI"].compare(second, second) == pytest.approx(2.0)
    noise = Image.fromarray(np.random.default_rng(2).integers(0, 256, (400, 600)).astype(np.uint8))
    other = Image.fromarray(np.random.default_rng(3).integers(0, 256, (400, 600)).astype(np.uint8))
    assert MEASURES["NMI"].compare(noise, other) < 1.05


@pytest.mark.parametrize("name", OWN)
def test_flat_pictures_have_a_value(name: str) -> None:
    white, black = Image.new("L", (20, 20), "white"), Image.new("L", (20, 20), "black")
    assert MEASURES[name].score(MEASURES[name].compare(white, white)) == 5.0
    assert MEASURES[name].score(MEASURES[name].compare(black, white)) < 2.0


@pytest.mark.parametrize("name", OWN)
def test_a_reference_is_needed_and_of_the_same_size(name: str) -> None:
    # contract: P18
    tool = find_tool(name)
    assert tool is not None
    assert "compares with a reference image, and none was given" in (tool.refusal(subject(page(), None)) or "")
    halved = page().resize((300, 400))
    refusal = tool.refusal(subject(page(), halved)) or ""
    assert refusal.startswith(f"{name}: ") and "different sizes, 600 x 800 and 300 x 400 pixels" in refusal
    assert tool.name not in [each.name for each in applicable(subject(page(), halved), frozenset())]
    assert tool.refusal(subject(page(2.0), page())) is None


def test_ssim_needs_the_size_of_its_window() -> None:
    tool = find_tool("SSIM")
    assert tool is not None
    tiny = Image.new("L", (60, 6), "white")
    assert "needs 7 pixels in each direction, and the image has 6" in (tool.refusal(subject(tiny, tiny)) or "")


def test_a_large_pair_is_compared_smaller() -> None:
    wide = Image.effect_noise((5000, 40), 60)
    assert MEASURES["SSIM"].compare(wide, wide) == pytest.approx(1.0)


def test_the_refusal_reaches_the_evidence(sharp: Path, tmp_path: Path) -> None:
    page().resize((300, 400)).save(tmp_path / "small.png")
    plan = plan_by_rules("What is the NRMSE?", has_reference=True)
    assert plan.required_tool == "NRMSE"
    (result,) = execute(plan, str(sharp), str(tmp_path / "small.png")).results or []
    assert result.score is None and "different sizes" in (result.error or "")


@pytest.mark.usefixtures("fresh_check")
def test_without_torchvision_its_measures_are_refused_and_not_chosen(
    sharp: Path, blurred: Path, vehicle: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_measures, "find_spec", lambda name: None)
    reason = picture_measures.unavailable() or ""
    assert reason.startswith("torchvision is not installed: install the build that belongs to torch ")
    chosen = execute(plan_by_rules("Is it blurry?"), str(blurred), str(sharp)).chosen or []
    assert "SSIM" in chosen and not set(chosen) & set(PIQ)
    asked = PlannerOutput.model_validate({**vehicle, "required_tool": "FSIM"})
    (result,) = execute(asked, str(blurred), str(sharp)).results or []
    assert result.score is None and result.error == f"FSIM cannot run here: {reason}"
    assert nearest("FSIMM") != "FSIM", "a tool that cannot run is not suggested"


@pytest.mark.usefixtures("fresh_check")
@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("raise RuntimeError('operator torchvision::nms does not exist')", "RuntimeError: operator torchvision::nms"),
        ("", "ModuleNotFoundError"),
    ],
)
def test_a_torchvision_of_another_build_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, complaint: str
) -> None:
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "__init__.py").write_text(code)
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    reason = picture_measures.unavailable() or ""
    assert "does not work with torch" in reason and complaint in reason and "or remove it" in reason
    # Not by monkeypatch, which would put it back for every test that follows in this process.
    sys.modules.pop("torchvision", None)
