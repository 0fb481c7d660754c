"""Tiny copies of benchmarks in the layouts that their authors publish. Every page names its own keeper."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pymupdf
from PIL import Image

KEEPERS = ("Anselm Ford", "Berta Quill", "Cyrus Vane", "Dora Lamb", "Edgar Moss", "Frida Wells")
"""Who keeps page 1, 2, 3 ...: the answer to the question about that page."""


def page_text(page: int, about: str) -> list[str]:
    return [
        f"{about}, part {page}",
        f"The keeper of this part is {KEEPERS[page - 1]}, who lives in the house by the mill.",
        "The wardens met in the spring and wrote down what the harbour had cost that year.",
    ]


def document(pages: int, about: str) -> Any:
    pdf = pymupdf.open()
    for number in range(1, pages + 1):
        page = pdf.new_page(width=595, height=842)
        heading, *rest = page_text(number, about)
        page.insert_text((72, 100), heading, fontsize=20, fontname="hebo")
        for line, text in enumerate(rest):
            page.insert_text((72, 150 + 24 * line), text, fontsize=12)
    return pdf


def write_pdf(path: Path, pages: int, about: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    document(pages, about).save(path, no_new_id=True)


def jpeg(pages: int, page: int, about: str) -> bytes:
    """The page as a picture of 150 dpi."""
    pixmap = document(pages, about)[page - 1].get_pixmap(dpi=150)
    out = io.BytesIO()
    Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples).save(out, "JPEG", quality=80)
    return out.getvalue()


def words(pages: int, page: int, about: str) -> list[tuple[float, float, float, float, str]]:
    """Words of the page with their boxes in 0..1."""
    sheet = document(pages, about)[page - 1]
    width, height = sheet.rect.width, sheet.rect.height
    return [
        (x0 / width, y0 / height, x1 / width, y1 / height, text) for x0, y0, x1, y1, text, *_ in sheet.get_text("words")
    ]


def textract(found: list[tuple[float, float, float, float, str]]) -> dict[str, Any]:
    blocks = [
        {
            "BlockType": "WORD",
            "Confidence": 99.1,
            "Text": text,
            "Id": str(number),
            "Geometry": {"BoundingBox": {"Left": x0, "Top": y0, "Width": x1 - x0, "Height": y1 - y0}},
        }
        for number, (x0, y0, x1, y1, text) in enumerate(found)
    ]
    return {"PAGE": [], "LINE": [], "WORD": blocks}


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def write_lines(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def mmlongbench_row(
    document: str, question: str, answer: Any, kind: str, pages: str = "[]", sources: str = "[]"
) -> dict[str, Any]:
    return {"doc_id": document, "doc_type": "Guidebook", "question": question, "answer": answer,
            "evidence_pages": pages, "evidence_sources": sources, "answer_format": kind}  # fmt: skip


MMLONGBENCH = [
    mmlongbench_row("Harbour guide.pdf", "Who keeps part 3?", "Cyrus Vane", "Str", "[3]", "['Pure-text (Plain-text)']"),
    mmlongbench_row("Harbour guide.pdf", "Which keepers have parts 1 and 2?", "['Anselm Ford', 'Berta Quill']", "List",
                    "[1, 2]", "['Chart', 'Figure']"),
    mmlongbench_row("Harbour guide.pdf", "How many parts are there?", "4%", "Int", "[1]"),
    mmlongbench_row("Harbour guide.pdf", "Who keeps part 9?", "Not answerable", "None"),
    mmlongbench_row("Harbour guide.pdf", "Who owns the mill?", "Not answerable", "None"),
    mmlongbench_row("gone.pdf", "Who keeps part 1?", "Anselm Ford", "Str", "[1]"),
    mmlongbench_row("Harbour guide.pdf", "Who keeps part 2?", "Berta Quill", "Str", "[2]"),
    mmlongbench_row("Harbour guide.pdf", "Who keeps part 2?", "Not answerable", "None"),
]  # fmt: skip


def make_mmlongbench(root: Path) -> Path:
    write_json(root / "data" / "samples.json", MMLONGBENCH)
    write_pdf(root / "data" / "documents" / "Harbour guide.pdf", 4, "Harbour guide")
    return root


def make_mmlongbench_table(root: Path) -> Path:
    """The form of the Hub."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = root / "data" / "train-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(MMLONGBENCH), path)
    write_pdf(root / "documents" / "Harbour guide.pdf", 4, "Harbour guide")
    return root


def correction(row: dict[str, Any], kind: str, **changes: Any) -> dict[str, Any]:
    before = {f"benchmark_{key}": row[key] for key in ("answer", "answer_format", "evidence_pages")}
    return {
        "doc_id": row["doc_id"],
        "question": row["question"],
        "dispute_type": kind,
        "note": "seen",
        **before,
        **changes,
    }


CORRECTIONS = [
    # As the first entries of the published file: no format, and a page in another place than before.
    correction(MMLONGBENCH[4], "should_be_answerable", manual_answer="Frida Wells", manual_evidence_pages="[4]"),
    correction(MMLONGBENCH[2], "wrong_answer", manual_answer="4", manual_answer_format="Int",
               manual_evidence_pages="[4]"),
    correction(MMLONGBENCH[0], "ambiguous_question", manual_answer="Cyrus Vane", manual_answer_format="Str",
               manual_evidence_pages="[3]", manual_question="Who keeps part 3, by the mill?"),
    correction(MMLONGBENCH[1], "should_be_unanswerable", manual_answer="Not answerable", manual_evidence_pages="[2]"),
    correction(MMLONGBENCH[3], "should_be_unanswerable", manual_answer="Not answerable or 0 or none",
               manual_answer_format="None"),
    correction(MMLONGBENCH[5], "corpus_defect", manual_answer=None),
    correction(MMLONGBENCH[7], "should_be_answerable", manual_answer="Berta Quill", manual_evidence_pages="[2]"),
    {"doc_id": "other.pdf", "question": "Of another corpus?", "dispute_type": "wrong_answer", "manual_answer": "x"},
]  # fmt: skip


def make_mmlongbench_v2(root: Path) -> Path:
    """The second version's repository: no PDFs in it."""
    guide = "Harbour guide.pdf"
    after = [
        mmlongbench_row(guide, "Who keeps part 3, by the mill?", "Cyrus Vane", "Str", "[3]", "['Chart']"),
        mmlongbench_row(guide, MMLONGBENCH[1]["question"], "Not answerable", "None"),
        mmlongbench_row(guide, MMLONGBENCH[2]["question"], "4", "Int", "[4]", "['Table']"),
        mmlongbench_row(guide, MMLONGBENCH[3]["question"], "Not answerable or 0 or none", "None"),
        mmlongbench_row(guide, MMLONGBENCH[4]["question"], "Frida Wells", "Str", "[4]", "['Figure']"),
        mmlongbench_row(guide, MMLONGBENCH[6]["question"], "Berta Quill", "Str", "[2]"),
    ]  # fmt: skip
    types = [
        {"doc_id": row["doc_id"], "question": row["question"], "task_type": "lookup", "requires_visual": False}
        for row in after
    ]
    write_json(root / "data" / "samples.json", after)
    write_json(root / "data" / "question_types.json", types)
    write_json(root / "data" / "corrections" / "samples_v1.json", MMLONGBENCH)
    write_json(root / "data" / "corrections" / "corrections.json", CORRECTIONS)
    return root


def longdocurl_row(question_id: str, **changes: Any) -> dict[str, Any]:
    row = {
        "question_id": question_id, "doc_no": "4000001", "total_pages": 5, "start_end_idx": [2, 4],
        "question_type": "extract", "question": f"Who keeps the part of {question_id}?", "answer": "Cyrus Vane",
        "detailed_evidences": "", "evidence_pages": [3], "evidence_sources": ["Text"], "answer_format": "String",
        "task_tag": "Understanding", "images": ["/data/oss/pdf_pngs/4000-4999/4000/4000001_2.png"],
        "pdf_path": "/data/oss/ccpdf_zip/4000-4999/4000001.pdf", "subTask": ["SP_Text_Understanding"],
    }  # fmt: skip
    return {**row, **changes}


def make_longdocurl(root: Path) -> Path:
    write_lines(
        root / "LongDocURL_public_with_subtask_category.jsonl",
        [
            longdocurl_row("free_a_4000001_2_4_1"),
            longdocurl_row("free_b_4000001_2_4_2", answer=5, answer_format="Integer", evidence_pages=[4]),
            longdocurl_row("free_c_4000001_2_4_3", answer=["Berta Quill", {"page": 2}], answer_format="List",
                           evidence_pages=[2, 3], task_tag="Locating"),
            longdocurl_row("free_d_4000001_2_4_4", answer="Not answerable", answer_format="None", evidence_pages=[]),
            longdocurl_row("free_f_4000001_1_5_1", answer="Edgar Moss", start_end_idx=[1, 5], evidence_pages=[5]),
            longdocurl_row("free_e_4000002_1_30_1", doc_no="4000002", start_end_idx=[1, 30]),
        ],
    )  # fmt: skip
    write_pdf(root / "ccpdf_zip" / "4000-4999" / "4000001.pdf", 5, "Ledger of wardens")
    return root


def mpdocvqa_row(
    number: int, about: str, pages: list[str], index: int | None, answers: list[str], document: str = "ffbb0001"
) -> dict[str, Any]:
    return {"questionId": number, "question": f"Who is the keeper of {about}?", "doc_id": document,
            "page_ids": pages, "answers": answers, "answer_page_idx": index, "data_split": "val"}  # fmt: skip


def make_mpdocvqa(root: Path, *, ocr: bool = True) -> Path:
    """Document ``ffbb0001`` with two windows over its six pages, ``ffbb0002`` with one."""
    first, second = [f"ffbb0001_p{n}" for n in (0, 1, 2)], [f"ffbb0001_p{n}" for n in (3, 4, 5)]
    single = ["ffbb0002_p7", "ffbb0002_p8"]
    rows = [
        mpdocvqa_row(11, "Old minutes, part 3", first, 2, ["Cyrus Vane", "C. Vane"]),
        mpdocvqa_row(12, "Old minutes, part 5", second, 1, ["Edgar Moss"]),
        mpdocvqa_row(13, "Letter book, part 1", single, 0, ["Anselm Ford"], "ffbb0002"),
    ]
    write_json(root / "val.json", {"dataset_name": "MP-DocVQA", "data": rows})
    (root / "images").mkdir(parents=True)
    for pages, about in ((first + second, "Old minutes"), (single, "Letter book")):
        for number, page in enumerate(pages, start=1):
            (root / "images" / f"{page}.jpg").write_bytes(jpeg(len(pages), number, about))
            if ocr:
                write_json(root / "ocr" / f"{page}.json", textract(words(len(pages), number, about)))
    return root


SLIDES = [f"keeperdeck-phpapp02-{n}-1024.jpg" for n in range(1, 5)]


def slidevqa_row(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "deck_name": "keeperdeck", "deck_url": "https://www.slideshare.net/keeperdeck", "qa_id": number,
        "image_urls": [f"https://image.slidesharecdn.com/x/95/{name}?cb=1" for name in SLIDES],
        "question": f"Who keeps the part of question {number}?", "answer": "Berta Quill",
        "arithmetic_expression": "None", "evidence_pages": [2], "reasoning_type": "Single-Hop",
        "answer_type": "Single-Span",
    }  # fmt: skip
    return {**row, **changes}


def make_slidevqa(root: Path, ocr: str | None = "ocrs_tesseract") -> Path:
    rows = [slidevqa_row(1), slidevqa_row(2, answer="Anselm Ford, Dora Lamb", evidence_pages=[4, 1])]
    write_lines(root / "annotations" / "qa" / "dev.jsonl", rows)
    for number, name in enumerate(SLIDES, start=1):
        image = root / "images" / "dev" / "keeperdeck" / name
        image.parent.mkdir(parents=True, exist_ok=True)
        image.write_bytes(jpeg(4, number, "Keepers"))
        with Image.open(image) as picture:
            size = picture.size
        found = words(4, number, "Keepers")
        target = root / (ocr or "") / "dev" / "keeperdeck" / name.replace(".jpg", ".json")
        if ocr == "ocrs_tesseract":
            write_json(target, tesseract(found, size))
        elif ocr is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.compress(json.dumps(vision(found, size)).encode()))
    return root


def tesseract(found: list[tuple[float, float, float, float, str]], size: tuple[int, int]) -> dict[str, list[Any]]:
    width, height = size
    return {
        "level": [1] + [5] * len(found),
        "left": [0] + [round(word[0] * width) for word in found],
        "top": [0] + [round(word[1] * height) for word in found],
        "width": [width] + [round((word[2] - word[0]) * width) for word in found],
        "height": [height] + [round((word[3] - word[1]) * height) for word in found],
        "conf": ["-1"] + [96] * len(found),
        "text": [""] + [word[4] for word in found],
    }


def vision(found: list[tuple[float, float, float, float, str]], size: tuple[int, int]) -> dict[str, Any]:
    width, height = size

    def corner(x: float, y: float) -> dict[str, int]:
        return {"x": round(x * width), "y": round(y * height)}

    parts = [
        {"symbols": [{"text": letter} for letter in text],
         "boundingBox": {"vertices": [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)]}}
        for x0, y0, x1, y1, text in found
    ]  # fmt: skip
    return {"fullTextAnnotation": {"pages": [{"blocks": [{"paragraphs": [{"words": parts}]}]}], "text": "unused"}}


def make_slidevqa_tables(root: Path) -> Path:
    """The form of the Hub: two decks in one table, told apart by their slides alone; the first deck is asked twice."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    decks = {about: [jpeg(3, n, about) for n in (1, 2, 3)] for about in ("Keepers", "Wardens")}
    rows = []
    for number, (about, page) in enumerate((("Keepers", 1), ("Wardens", 2), ("Keepers", 3)), start=1):
        slides = [{"bytes": data, "path": None} for data in decks[about]] + [None]
        row = {
            "qa_id": number,
            "question": f"Who keeps {number}?",
            "answer": KEEPERS[page - 1],
            "evidence_pages": [page],
        }
        rows.append({**row, **{f"page_{n}": slide for n, slide in enumerate(slides, start=1)}})
    path = root / "data" / "val-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
    return root
