"""Published benchmarks in the layouts of their authors: gold pages, ids, corrections and text of page images."""

import json
from contextlib import nullcontext
from pathlib import Path

import pymupdf
import pytest
from helpers.benchmark_layouts import (
    KEEPERS,
    SLIDES,
    jpeg,
    longdocurl_row,
    make_longdocurl,
    make_mmlongbench,
    make_mmlongbench_table,
    make_mmlongbench_v2,
    make_mpdocvqa,
    make_slidevqa,
    make_slidevqa_tables,
    write_lines,
)

from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.datasets.benchmarks import import_benchmark
from cosee.datasets.image_pdf import PageImage, image_pdf
from cosee.datasets.importer import Options
from cosee.datasets.invisible_text import Word
from cosee.datasets.samples import load_samples
from cosee.pipeline.page_count import known_pages
from cosee.pipeline.stage import DocFolder
from cosee.registry import IMPORTERS
from cosee.stages.adapt import AdaptStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage

MAKERS = {
    "mmlongbench-doc": make_mmlongbench,
    "mmlongbench-doc table": make_mmlongbench_table,
    "longdocurl": make_longdocurl,
    "mp-docvqa": make_mpdocvqa,
    "slidevqa": make_slidevqa,
    "slidevqa tables": make_slidevqa_tables,
}


def imported(root: Path, target: Path, name: str, **options: object) -> tuple[dict[str, Question], ImportReport]:
    report = import_benchmark(name, root, target, Options(**options), count_pages=known_pages)  # type: ignore[arg-type]
    assert ImportReport.load(target / "qa" / "import_report.json") == report
    return {row.question_id: row for row in load_rows(Question, target / "qa" / "questions.jsonl")}, report


def tree_of(target: Path, doc_id: str) -> DocTree:
    """What M0 and M1 make of an imported document, without an OCR engine."""
    folder = DocFolder(target.name, doc_id, target / doc_id, target / ".indexes" / doc_id)
    AdaptStage().run(folder, AdaptSettings(ocr="none"))
    EnhanceStage().run(folder, EnhanceSettings())
    BuildStage().run(folder, BuildSettings())
    return DocTree.load(folder.data / "doctree.mm.json")


def pages_with(tree: DocTree, text: str) -> list[int]:
    """1-based pages of the nodes that hold ``text``."""
    return sorted({node.page_idx + 1 for node in tree.nodes if text in (node.text or "") and node.page_idx is not None})


@pytest.mark.parametrize("maker", ["mmlongbench-doc", "longdocurl", "mp-docvqa", "slidevqa"])
def test_the_gold_page_holds_the_answer(tmp_path: Path, maker: str) -> None:
    # contract: C55, D2
    root, target = MAKERS[maker](tmp_path / "published"), tmp_path / "data" / "bench"
    questions, _ = imported(root, target, maker.split()[0])
    trees: dict[str, DocTree] = {}
    checked = 0
    for question in questions.values():
        names = question.answer if isinstance(question.answer, list) else str(question.answer).split(", ")
        if not (target / question.doc_id).is_dir() or not set(names) <= set(KEEPERS):
            continue
        if question.doc_id not in trees:
            trees[question.doc_id] = tree_of(target, question.doc_id)
        found = [page for name in names for page in pages_with(trees[question.doc_id], name)]
        assert sorted(found) == question.evidence_pages
        checked += 1
    assert checked >= 2


@pytest.mark.parametrize("maker", MAKERS)
def test_importing_twice_gives_the_same_bytes(tmp_path: Path, maker: str) -> None:
    root = MAKERS[maker](tmp_path / "published")
    for target in (tmp_path / "data" / "one", tmp_path / "again" / "one"):
        questions, report = imported(root, target, maker.split()[0])
        assert len(questions) == report.questions
    first = {path.relative_to(tmp_path / "data"): path.read_bytes() for path in (tmp_path / "data").rglob("*.*")}
    again = {path.relative_to(tmp_path / "again"): path.read_bytes() for path in (tmp_path / "again").rglob("*.*")}
    assert first == again and any(path.name == "full.pdf" for path in first)


@pytest.mark.parametrize("form", ["mmlongbench-doc", "mmlongbench-doc table"])
def test_mmlongbench(tmp_path: Path, form: str) -> None:
    target = tmp_path / "data" / "mmlb"
    questions, report = imported(MAKERS[form](tmp_path / "src"), target, "mmlongbench-doc")
    assert list(questions) == [f"{n:05d}" for n in range(8)]
    listed = questions["00001"]
    assert listed.answer == ["Anselm Ford", "Berta Quill"] and listed.evidence_sources == ["Chart", "Figure"]
    assert questions["00003"].unanswerable and questions["00003"].original is None
    assert report.documents == {"Harbour guide.pdf": "Harbour_guide"}
    assert [str(each) for each in report.of_kind("missing_document")] == [
        "gone.pdf: no such document; its questions are kept and will be reported as failed"
    ]
    assert "'00002'" in report.of_kind("gold_type")[0].where and "'4%'" in report.of_kind("gold_type")[0].message
    assert "'00006'" in report.of_kind("duplicate_question")[0].message
    assert "another answer" in report.of_kind("duplicate_question")[0].message


@pytest.mark.parametrize("form", ["repository", "corrections alone"])
def test_corrections_are_laid_over_the_first_version(tmp_path: Path, form: str) -> None:
    first, second = make_mmlongbench(tmp_path / "v1"), make_mmlongbench_v2(tmp_path / "v2")
    target = tmp_path / "data" / "v2"
    if form == "repository":
        questions, report = imported(second, target, "mmlongbench-doc-v2", pdfs=first / "data" / "documents")
    else:
        corrections = second / "data" / "corrections" / "corrections.json"
        questions, report = imported(first, target, "mmlongbench-doc-v2", corrections=corrections)
    assert list(questions) == ["00000", "00001", "00002", "00003", "00004", "00006"]
    reworded, unanswerable, number, widened, answerable, twin = questions.values()
    assert reworded.question == "Who keeps part 3, by the mill?" and reworded.original is not None
    assert reworded.original.question == "Who keeps part 3?" and reworded.original.answer == "Cyrus Vane"
    assert unanswerable.unanswerable and unanswerable.evidence_pages == [] and unanswerable.original is not None
    assert unanswerable.original.answer == ["Anselm Ford", "Berta Quill"]
    assert unanswerable.original.evidence_pages == [1, 2]
    assert widened.unanswerable and widened.answer == "Not answerable or 0 or none"
    assert number.answer == "4" and number.answer_format == "Int" and number.evidence_pages == [4]
    assert answerable.answer == "Frida Wells" and answerable.answer_format == "Str"
    assert answerable.original is not None and answerable.original.answer == NOT_ANSWERABLE
    assert twin.original is not None and twin.original.answer == twin.answer == "Berta Quill"
    assert [each.where for each in report.of_kind("removed_question")] == ["question '00005'", "question '00007'"]
    assert "other.pdf" in report.of_kind("unused_correction")[0].message
    assert all(row.source_dataset == "MMLongBench-Doc-V2" for row in questions.values())
    assert (reworded.task_type, reworded.requires_visual) == (
        ("lookup", False) if form == "repository" else (None, None)
    )
    assert answerable.evidence_sources == (["Figure"] if form == "repository" else [])


def test_longdocurl(tmp_path: Path) -> None:
    target = tmp_path / "data" / "ldu"
    root = make_longdocurl(tmp_path / "src")
    questions, report = imported(root, target, "longdocurl")
    first, number, listed, none, _, gone = questions.values()
    assert first.question_id == "free_a_4000001_2_4_1" and first.doc_id == "4000001"
    assert first.page_window == (2, 4) and first.evidence_pages == [3] and first.task_type == "Understanding"
    assert (number.answer, number.answer_format) == ("5", "Int")
    assert listed.answer == ["Berta Quill", "2"] and listed.evidence_pages == [2, 3]
    assert none.unanswerable and none.answer == NOT_ANSWERABLE
    assert gone.doc_id == "4000002" and report.of_kind("missing_document")[0].where == "4000002"
    assert (target / "4000001" / "full.pdf").read_bytes() == (root / "ccpdf_zip/4000-4999/4000001.pdf").read_bytes()


def test_longdocurl_tells_what_cannot_be(tmp_path: Path) -> None:
    root = make_longdocurl(tmp_path / "src")
    outside = tmp_path / "outside.pdf"
    outside.write_bytes((root / "ccpdf_zip/4000-4999/4000001.pdf").read_bytes())
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "4000001.pdf").symlink_to(outside)
    (root / "z").mkdir()
    (root / "z" / "4000001.pdf").write_bytes(outside.read_bytes())
    write_lines(
        root / "LongDocURL_public_with_subtask_category.jsonl",
        [
            longdocurl_row("same"),
            longdocurl_row("same", question="Another?", evidence_pages=[5]),
            longdocurl_row("beyond", question="Beyond?", evidence_pages=[0, "iv", 9, 3], answer_format="Number"),
            longdocurl_row("typed", question="Typed?", answer="five", answer_format="Integer", start_end_idx=[9]),
        ],
    )
    questions, report = imported(root, tmp_path / "data" / "ldu", "longdocurl")
    assert list(questions) == ["same", "same-2", "beyond", "typed"] and questions["beyond"].evidence_pages == [3]
    told = "\n".join(map(str, report.problems))
    assert "a/4000001.pdf: is left out: a link" in told
    assert "z/4000001.pdf: is left out: ccpdf_zip/4000-4999/4000001.pdf is the same document" in told
    assert "question 'same': the id occurs twice; the later question is called 'same-2'" in told
    assert "question 'same-2': gold pages [5] are outside the benchmark's window of pages 2 to 4" in told
    assert "line 3: gold pages [0, 'iv'] are no page numbers from 1 on" in told
    assert "question 'beyond': gold pages [9] are left out: 4000001 has 5 pages" in told
    assert "line 3: no answer format 'Number'" in told and "'five' is none of the format Int" in told
    assert "line 4: the window start_end_idx [9] is none" in told


def test_a_pdf_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    root = make_longdocurl(tmp_path / "src")
    (root / "ccpdf_zip/4000-4999/4000001.pdf").write_bytes(b"%PDF-1.7 and no more")
    _, report = imported(root, tmp_path / "data" / "ldu", "longdocurl")
    assert [problem.where for problem in report.of_kind("unreadable_document")] == ["4000001"]
    assert report.of_kind("gold_pages") == [], "of pages that nobody counted nothing is said"


def test_mpdocvqa_windows_are_documents(tmp_path: Path) -> None:
    root, target = make_mpdocvqa(tmp_path / "src"), tmp_path / "data" / "mp"
    questions, report = imported(root, target, "mp-docvqa")
    assert [row.doc_id for row in questions.values()] == ["ffbb0001_p0-p2", "ffbb0001_p3-p5", "ffbb0002"]
    assert [row.evidence_pages for row in questions.values()] == [[3], [2], [1]]
    first = questions["11"]
    assert first.answer == "Cyrus Vane" and first.answer_alt == ["C. Vane"] and first.split == "val"
    assert report.split == "val" and report.text_source == "Amazon Textract, as published with MP-DocVQA"
    assert report.problems == []
    with pymupdf.open(target / "ffbb0001_p3-p5" / "full.pdf") as pdf:
        for number, page in enumerate(pdf, start=3):
            (image,) = page.get_images()
            assert pdf.extract_image(image[0])["image"] == (root / "images" / f"ffbb0001_p{number}.jpg").read_bytes()
        assert pdf.metadata["keywords"] == "invisible text: Amazon Textract, as published with MP-DocVQA"
        assert not pdf.metadata["creationDate"]


@pytest.mark.parametrize("maker", [make_mpdocvqa, make_slidevqa, lambda root: make_slidevqa(root, "ocrs_visionAPI")])
def test_published_ocr_is_the_text_layer(tmp_path: Path, maker: object) -> None:
    # contract: D2
    root, target = maker(tmp_path / "src"), tmp_path / "data" / "scans"  # type: ignore[operator]
    name = "mp-docvqa" if (root / "val.json").exists() else "slidevqa"
    questions, report = imported(root, target, name)
    doc_id = next(iter(questions.values())).doc_id
    tree = tree_of(target, doc_id)
    layout = Layout.load(target / doc_id / "layout.json")
    assert all("ocr_layer" in page.flags for page in layout.pages) and report.problems == []
    said = [node.text for node in tree.nodes if node.text and node.page_idx == 1]
    assert any("The keeper of this part is Berta Quill, who lives in the house by the mill." in text for text in said)
    (box,) = (node.bbox for node in tree.nodes if "keeper" in (node.text or "") and node.page_idx == 1)
    assert box == pytest.approx((72 / 595, 0.163, 0.754, 0.183), abs=0.002), "as its words lie on the page"


def test_missing_slides_do_not_move_the_others(tmp_path: Path) -> None:
    root, target = make_slidevqa(tmp_path / "src"), tmp_path / "data" / "deck"
    images = root / "images" / "dev" / "keeperdeck"
    (images / SLIDES[0]).unlink()
    (images / SLIDES[2]).write_bytes(b"\xff\xd8 no picture")
    questions, report = imported(root, target, "slidevqa")
    assert questions["2"].evidence_pages == [1, 4]
    assert pages_with(tree_of(target, "keeperdeck"), "Berta Quill") == [2]
    told = [str(problem) for problem in report.of_kind("missing_page")]
    assert len(told) == 2 and told[0] == f"keeperdeck/{SLIDES[0]}: no such picture; a blank page stands for it"
    assert "not a readable picture" in told[1]


def test_hub_tables_of_slides(tmp_path: Path) -> None:
    target = tmp_path / "data" / "deck"
    questions, report = imported(make_slidevqa_tables(tmp_path / "src"), target, "slidevqa", split="dev")
    decks = [row.doc_id for row in questions.values()]
    assert decks[0] == decks[2] != decks[1] and len(report.documents) == 2 and report.text_source is None
    for question, about in zip(questions.values(), ("Keepers", "Wardens", "Keepers"), strict=True):
        (gold,) = question.evidence_pages
        with pymupdf.open(target / question.doc_id / "full.pdf") as pdf:
            (image,) = pdf[gold - 1].get_images()
            assert len(pdf) == 3 and pdf.extract_image(image[0])["image"] == jpeg(3, gold, about)


def test_limit_takes_the_first_documents(tmp_path: Path) -> None:
    # contract: C56
    root, target = make_mpdocvqa(tmp_path / "src", ocr=False), tmp_path / "data" / "mp"
    report = import_benchmark("mp-docvqa", root, target, limit=1)
    assert report.questions == 1 and list(report.documents) == ["ffbb0001_p0-p2"]
    assert sorted(path.name for path in target.iterdir()) == ["ffbb0001_p0-p2", "qa"]


def test_every_benchmark_says_what_it_is_read_from() -> None:
    assert all(each.about["layout"] and each.citation for each in IMPORTERS.entries(plugins=False))
    assert json.dumps(sorted(IMPORTERS.names())) == json.dumps(
        ["longdocurl", "mmlongbench-doc", "mmlongbench-doc-v2", "mp-docvqa", "slidevqa"]
    )


def test_the_layer_holds_every_script_where_the_words_are(tmp_path: Path) -> None:
    texts = ["größer", "日本語", "Ωμέγα", "עברית", "a\\(b)", "😀", "two words", "bad\u0000\ud800end"]
    rows = [Word(text, (0.1, 0.1 * n, 0.5, 0.1 * n + 0.04), (0.1 * n, 0.1 * n + 0.05)) for n, text in enumerate(texts)]
    data = image_pdf([PageImage(jpeg(1, 1, "x"), rows), PageImage(None)], "an engine")
    with pymupdf.open("pdf", data) as pdf:
        page, blank = pdf[0], pdf[1]
        assert blank.rect == page.rect and not blank.get_text()
        found = page.get_text("words", sort=True)
        lines = page.get_text().split("\n")
        assert [line for line in lines if line] == [*texts[:-1], "bad end"]
        for word, (x0, y0, x1, y1, *_) in zip(rows[:6], found, strict=False):
            box = (x0 / page.rect.width, y0 / page.rect.height, x1 / page.rect.width, y1 / page.rect.height)
            assert box == pytest.approx((word.bbox[0], word.line[0], word.bbox[2], word.line[1]), abs=0.002)
        shown = pymupdf.Pixmap(pymupdf.csRGB, page.get_pixmap())
    with pymupdf.open("pdf", image_pdf([PageImage(jpeg(1, 1, "x"))], None)) as plain:
        assert plain[0].get_pixmap().samples == shown.samples, "the layer is not seen"


@pytest.mark.parametrize("maker", ["mmlongbench-doc", "slidevqa"])
def test_every_dataset_yields_samples(tmp_path: Path, maker: str) -> None:
    # contract: C1, C55
    root, target = MAKERS[maker](tmp_path / "published"), tmp_path / "data" / "bench"
    questions, report = imported(root, target, maker)
    samples = []
    with (
        pytest.raises(ArtifactError, match="cannot be opened") if report.of_kind("missing_document") else nullcontext()
    ):
        samples += load_samples(target, dpi=40, cache=tmp_path / "cache")
    for sample, question in zip(samples, questions.values(), strict=False):
        assert set(sample) == {"images", "question", "answer", "meta"} and sample["question"] == question.question
        assert sample["answer"] == question.answer and sample["meta"]["evidence_pages"] == question.evidence_pages
        assert len(sample["images"]) == 4 and {image.mode for image in sample["images"]} == {"RGB"}
    assert len(samples) >= 2
    with pytest.raises(ArtifactError, match="no questions"):
        next(load_samples(tmp_path))
