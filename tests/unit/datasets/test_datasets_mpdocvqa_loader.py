"""The loader of MP-DocVQA by split, and where benchmarks' files are looked for."""

import json
from pathlib import Path

import pytest
from PIL import Image

from cosee import build_dev_subset, load_mpdocvqa_split
from cosee.artifacts.files import ArtifactError
from cosee.datasets.locate import benchmark_folder


@pytest.fixture
def mpdocvqa(tmp_path: Path) -> Path:
    folder = tmp_path / "MP_DocVQA"
    (folder / "images").mkdir(parents=True)
    for page in ("d_p0", "d_p1"):
        Image.new("L", (20, 30), 200).save(folder / "images" / f"{page}.jpg")
    rows = [
        {"questionId": n, "question": f"Q{n}?", "doc_id": "d", "page_ids": ["d_p0", "d_p1"], "answers": answers,
         "answer_page_idx": index}
        for n, (answers, index) in enumerate([(["Paris"], 1), (["a", "b"], 0), ([], None)])
    ]  # fmt: skip
    (folder / "val.json").write_text(json.dumps({"data": rows}), encoding="utf-8")
    return folder


def test_samples(mpdocvqa: Path) -> None:
    # contract: C1, C55
    first, second, third = load_mpdocvqa_split("val", path=mpdocvqa)
    assert [image.size for image in first["images"]] == [(20, 30)] * 2 and first["images"][0].mode == "RGB"
    assert first["question"] == "Q0?" and first["answer"] == "Paris" and second["answer"] == ["a", "b"]
    assert first["meta"]["answer_page"] == 2 and third["meta"]["answer_page"] is None and third["answer"] == []
    assert set(first) == {"images", "question", "answer", "meta"}


def test_dev_subset(mpdocvqa: Path) -> None:
    # contract: C56
    ids = [[sample["meta"]["question_id"] for sample in build_dev_subset("val", 2, path=mpdocvqa)] for _ in range(2)]
    assert ids == [["0", "1"]] * 2
    assert len(build_dev_subset("val", 99, path=mpdocvqa)) == 3 and build_dev_subset("val", 0, path=mpdocvqa) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [({"question": "?"}, "not a question of MP-DocVQA"), ([], "expected an object"),
     ({"questionId": 1, "question": "?", "doc_id": "d", "page_ids": ["../../up"]}, "no page image"),
     ({"questionId": 1, "question": "?", "doc_id": "d", "page_ids": ["bomb"]}, "more than 100000000 pixels"),
     ({"questionId": 1, "doc_id": "d", "page_ids": ["d_p0"]}, "needs the string 'question'"),
     ({"questionId": 1, "question": "?", "doc_id": "d", "page_ids": ["d_p0"], "answers": "x"}, "are no list")],
)  # fmt: skip
def test_bad_rows_are_named(mpdocvqa: Path, row: object, message: str) -> None:
    Image.new("1", (10_000, 10_001)).save(mpdocvqa / "images" / "bomb.jpg", "PNG")
    (mpdocvqa / "val.json").write_text(json.dumps({"data": [row]}), encoding="utf-8")
    with pytest.raises(ArtifactError, match=message):
        list(load_mpdocvqa_split("val", path=mpdocvqa))
    with pytest.raises(ArtifactError, match=r"test\.json"):
        list(load_mpdocvqa_split("test", path=mpdocvqa))
    with pytest.raises(ArtifactError, match="not '../val'"):
        list(load_mpdocvqa_split("../val", path=mpdocvqa))


def test_argument_configuration_environment_default(
    mpdocvqa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: C66
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COSEE_DATA", raising=False)
    places = {name: tmp_path / name / "mp-docvqa" for name in ("argument", "configured", "environment", "data")}
    for place in places.values():
        place.parent.mkdir()
        place.symlink_to(mpdocvqa)
    (tmp_path / "config").mkdir()
    config = tmp_path / "config" / "config.yaml"
    assert benchmark_folder("mp-docvqa") == Path("data/mp-docvqa")
    monkeypatch.setenv("COSEE_DATA", str(tmp_path / "environment"))
    assert benchmark_folder("mp-docvqa") == places["environment"]
    config.write_text(f"datasets: [demo]\nbenchmarks:\n  mp-docvqa: {places['configured']}\n", encoding="utf-8")
    assert benchmark_folder("mp-docvqa") == places["configured"]
    assert benchmark_folder("mp-docvqa", path=places["argument"]) == places["argument"]
    assert len(build_dev_subset("val", 5)) == 3


def test_the_variable_may_name_the_benchmark_itself(
    mpdocvqa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSEE_DATA", str(mpdocvqa))
    assert benchmark_folder("mp-docvqa") == mpdocvqa
    monkeypatch.setenv("COSEE_DATA", str(tmp_path))
    assert benchmark_folder("mp-docvqa") == mpdocvqa, "MP_DocVQA is another spelling of it"


def test_all_that_was_tried_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COSEE_DATA", raising=False)
    with pytest.raises(ArtifactError) as caught:
        next(load_mpdocvqa_split("val"))
    assert str(caught.value) == (
        "the files of mp-docvqa were not found: the argument path is not set; benchmarks.mp-docvqa in "
        "config/config.yaml is not set; COSEE_DATA is not set; the default: no folder data/mp-docvqa"
    )
    monkeypatch.setenv("COSEE_DATA", "nowhere")
    with pytest.raises(ArtifactError, match="COSEE_DATA: no folder nowhere$"):
        benchmark_folder("mp-docvqa")
    with pytest.raises(ArtifactError, match="the argument path: no folder gone$"):
        benchmark_folder("mp-docvqa", path="gone")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("benchmarks: {mp-docvqa: [", encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"config\.yaml"):
        benchmark_folder("mp-docvqa")
