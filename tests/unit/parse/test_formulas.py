"""Displayed formulas as text and as LaTeX, from glyphs and their places."""

import pymupdf
import pytest

from cosee.artifacts.documents.layout import Line, Span
from cosee.parse.content.equations import is_equation
from cosee.parse.layout.page_layout import lay_out
from cosee.parse.pdf import latex
from cosee.parse.pdf.formulas import MATH_FONT, are_formulas, latex_of_lines
from cosee.parse.pdf.glyph_names import _glyph
from cosee.parse.pdf.page_model import Fragment
from cosee.parse.pdf.page_source import read_page

MATH = pymupdf.Font("cjk")
"""Has the signs of formulas."""


def formula_block(*pieces: tuple[float, float, str, float], bars: tuple[tuple[float, float, float], ...] = ()):
    """The one block of formula on a page of pieces (x, base line, text, size) and bars (x0, x1, y) in points."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    writer = pymupdf.TextWriter(page.rect)
    for x, y, text, size in pieces:
        writer.append((x, y), text, font=MATH, fontsize=size)
    writer.write_text(page)
    for x0, x1, y in bars:
        page.draw_line((x0, y), (x1, y), width=0.6)
    page.insert_text((72, 400), "A line of plain words stands below and belongs to no formula at all.", fontsize=11)
    raw = read_page(pymupdf.open("pdf", document.tobytes())[0])
    blocks = lay_out(raw, 0, with_tables=True).blocks
    (block,) = [block for block in blocks if "formula" in block.flags]
    return block


def line(*texts: tuple[str, float, float], **style) -> list[Span]:
    """Spans (text, size, height above the base line) one behind the other."""
    spans, x = [], 100.0
    for text, size, rise in texts:
        width = 0.5 * size * len(text)
        box = (x, 200.0 - rise - 0.8 * size, x + width, 200.0 - rise + 0.2 * size)
        spans.append(Span(text=text, bbox=box, size=size, font=style.get("font", "CMMI10"), **style.get("look", {})))
        x += width
    return spans


def test_a_fraction_with_an_index_in_it():
    block = formula_block(
        (100, 200, "α = ", 12), (132, 191, "β", 12), (139, 194, "0", 8), (132, 208, "γ", 12), bars=((130, 146, 197),)
    )
    assert block.latex == r"\alpha=\frac{\beta_{0}}{\gamma}"
    assert block.lines[0].text == "α = (β_0)/γ"


def test_limits_of_a_sum_and_of_an_integral():
    sums = formula_block(
        (100, 200, "s = ", 12), (126, 202, "∑", 16), (128, 185, "n", 8), (124, 214, "i=1", 8), (144, 200, "x", 12)
    )
    assert sums.latex == r"s=\sum_{i=1}^{n}x"
    integral = formula_block((100, 200, "∫", 14), (108, 186, "b", 8), (105, 212, "a", 8), (116, 200, "f = c", 12))
    assert integral.latex == r"\int_{a}^{b}f=c"


def test_a_limit_that_is_a_word_stays_below_its_sum():
    block = formula_block((100, 200, "s = ", 12), (126, 202, "∑", 16), (120, 214, "prime p", 8), (150, 200, "x", 12))
    assert block.latex == r"s=\sum_{\text{ prime }p}x"


def test_a_line_over_a_letter_is_no_fraction():
    block = formula_block(
        (100, 200, "s = ", 12), (124, 202, "∑", 16), (124, 214, "i=1", 8), (144, 200, "z", 12), bars=((144, 150, 190),)
    )
    assert block.latex == r"s=\sum_{i=1}\overline{z}"


def test_words_close_above_a_formula_are_no_part_of_it():
    block = formula_block(
        (100, 183, "where this holds", 12), (100, 200, "s = ", 12), (126, 202, "∑", 16), (124, 214, "i=1", 8),
        (144, 200, "x", 12),
    )  # fmt: skip
    assert block.latex == r"s=\sum_{i=1}x" and "where" not in block.lines[0].text


@pytest.mark.parametrize(
    ("spans", "written"),
    [
        (line(("e", 12, 0), ("iπ", 8, 5), ("+1=0", 12, 0)), r"e^{i\pi}+1=0"),
        (line(("x", 12, 0), ("i", 8, -3), ("≠y", 12, 0)), r"x_{i}\neq y"),
        (line(("sin θ=0", 12, 0), font="CMR10"), r"\sin\theta=0"),
        (line(("rank(A)=n if n≥0", 12, 0), font="CMR10"), r"\operatorname{rank}(A)=n\text{ if }n\geq0"),
        (line(("v=0", 12, 0), look={"bold": True}), r"\mathbf{v}=0"),
        (line(("ℝ⊂𝒞", 12, 0)), r"\mathbb{R}\subset\mathcal{C}"),
        (line(("ˆx=½", 12, 0)), r"\hat{x}=\frac{1}{2}"),
        (line(("価=5%", 12, 0)), r"\text{価}=5\%"),
    ],
)
def test_a_line_in_latex(spans, written):
    assert latex_of_lines([spans]) == written


@pytest.mark.parametrize(
    "texts",
    [("a=1", "       ", "(2.1)"), ("a=1", "     ", "(", "2.1", ")"), ("a=1   (2.1)",), ("(2.1)", "      ", "a=1")],
)
def test_a_number_apart_is_the_tag(texts):
    assert latex_of_lines([line(*((text, 12, 0) for text in texts))], "(2.1)") == r"a=1 \tag{2.1}"


def test_what_a_function_is_of_is_no_number():
    assert latex_of_lines([line(("y=f(3)", 12, 0))], "(3)") == "y=f(3)"


@pytest.mark.parametrize(
    ("texts", "written"),
    [
        ((("f", 0), ("′′", 5), ("=0", 0)), r"f^{\prime\prime}=0"),
        ((("f", 0), ("′2", 5), ("=0", 0)), r"f^{\prime 2}=0"),
        ((("10⁻³=x₁₂", 0),), r"10^{-3}=x_{12}"),
        ((("f′", 0), ("2", 5), ("=0", 0)), r"f^{\prime2}=0"),
        ((("A−⊤=B", 0),), r"A-\top=B"),
        ((("a̸=b", 0),), r"a\neq b"),
        ((("10^23=a", 0),), None),
        ((("√x=y", 0),), None),
        ((("x=[1 2 3]", 0),), r"x=[1\quad 2\quad 3]"),
        ((("𝑨=𝐁", 0),), r"\boldsymbol{A}=\mathbf{B}"),
        ((("ϸ=1", 0),), "ϸ=1"),
        ((("‖x‖…=…", 0),), r"\|x\|\ldots=\ldots"),
    ],
)
def test_signs_that_are_easily_said_wrong(texts, written):
    assert latex_of_lines([line(*((text, 12 if rise == 0 else 8, rise) for text, rise in texts))]) == written


def test_words_in_other_letters_and_functions_side_by_side():
    assert latex_of_lines([line(("sin cos θ=0", 12, 0), font="CMR10")]) == r"\sin\cos\theta=0"
    assert latex_of_lines([line(("a≤1 für alle x", 12, 0), font="CMR10")]) == r"a\leq1\text{ für alle }x"


def test_two_lines_are_two_formulas_only_where_each_states_a_relation():
    assert latex_of_lines([line(("a=b", 12, 0)), line(("c<d", 12, 0))]) == r"\begin{gathered} a=b \\ c<d \end{gathered}"
    assert latex_of_lines([line(("a=b", 12, 0)), line(("c", 12, 0))]) is None


@pytest.mark.parametrize("text", ["a=\ufffdb", "⎧a=b", "a=\ue000"])
def test_what_is_not_understood_has_no_latex(text):
    assert latex_of_lines([line((text, 12, 0))]) is None


def test_letters_of_a_font_that_has_none_were_read_by_a_wrong_table():
    assert latex_of_lines([line(("p(Hjt)=1", 12, 0), font="CMSY10")]) is None


def test_a_line_of_a_program_is_no_formula():
    assert latex_of_lines([line(("count = size(a) + 1;", 10, 0), font="Courier")]) is None


def test_an_accent_over_more_than_a_letter_is_not_guessed():
    assert latex.accented("ˆ", "x") == r"\hat{x}"
    assert latex.accented("ˆ", "xy") == latex.UNKNOWN


@pytest.mark.parametrize(
    ("name", "sign", "depth"),
    [
        ("summationdisplay", "∑", 14.0), ("integraltext", "∫", 11.1), ("parenleftbigg", "(", 23.6),
        ("bracketrightBig", "]", 17.6), ("circumflex", "ˆ", None), ("logicalanddisplay.1", "⋀", 14.0),
        ("braceleftmid", "", 18.0),
    ],
)  # fmt: skip
def test_a_glyph_of_an_extension_font_is_known_by_its_name(name, sign, depth):
    glyph = _glyph(name, (100.0, 200.0), (100.0, 190.0, 110.0, 202.0), 10.0)
    assert glyph.sign == sign
    assert glyph.box == pytest.approx((100.0, 200.0, 110.0, 200.0 + depth) if depth else (100.0, 190.0, 110.0, 202.0))


@pytest.mark.parametrize("name", ["a47", "g159", "C22", "", "parenleftbiggish", "space", "controlLF", "nbspace"])
def test_other_names_tell_nothing(name):
    assert _glyph(name, (100.0, 200.0), (100.0, 190.0, 110.0, 202.0), 10.0) is None


def test_a_sum_and_brackets_without_letters_in_a_real_papers_font(shared):
    with pymupdf.open(shared / "parse" / "olmocr_bench" / "pdfs" / "math_2503_04086.pdf") as document:
        blocks = lay_out(read_page(document[0]), 0, with_tables=True).blocks
    written = [block.latex for block in blocks if block.latex]
    assert any(r"=\sum_{i=1}^{k}[\sum_{s,Rs=\mathcal{I}_{i}}\zeta_{n}^{\psi(gs)}]" in latex for latex in written)
    assert not any("\ufffd" in line.text for block in blocks for line in block.lines)


@pytest.mark.parametrize(
    ("text", "font", "is_formula"),
    [
        ("AT+FTPCID=0+1", "Arial-BoldMT", False),
        ("sum += values[i] + 4", "NimbusSanL-Regu", False),
        ("a + b = 4", "Times-Italic", True),
        ("Q ± 2 = ∫ p", "Times-Roman", True),
        ("a + b = 4 (3.1)", "Times-Roman", True),
        ("現在のバッグで最適解 x+y=2 有向支配集合問題 入力整数値", "CMMI10", False),
        ("x+y=2 𝑋𝑛𝑘𝑗𝑖", "CMMI10", True),
        ("y = f(3)", "Courier", False),
        ("Το συνολικό κόστος του έργου = 15 ευρώ", "Times-Roman", False),
    ],
)
def test_a_line_is_a_formula_by_more_than_its_relation(text, font, is_formula):
    (fragment,) = pieces((text, font))
    found = Line(bbox=fragment.bbox, spans=fragment.spans)
    assert is_equation([found], [text]) == is_formula


def pieces(*texts: tuple[str, str]) -> list[Fragment]:
    """One fragment for each (text, font)."""
    box = (100.0, 100.0, 150.0, 112.0)
    return [Fragment(box, [Span(text=text, bbox=box, size=10.0, font=font)]) for text, font in texts]


@pytest.mark.parametrize("font", ["ABCDEF+CMMI10", "CMBSY10", "LatinModernMath-Regular", "CambriaMath", "txmiaX"])
def test_lines_of_formulas_that_line_up_are_no_table(font):
    assert are_formulas(pieces(("U =", font), ("k", font), ("2", "CMR10"), ("mgl", font), ("(2.3)", "CMR10")))


@pytest.mark.parametrize(
    "font", ["EuropeanComputerModern-Roman", "Eurostile", "Heuristica", "SegoeUISymbol", "MTExtra"]
)
def test_fonts_of_text_are_none_of_mathematics(font):
    assert MATH_FONT.search(font) is None


def test_values_under_formal_headings_are_a_table():
    header = [("n", "CMMI10"), ("k = 2", "CMMI10"), ("k = 4", "CMMI10")]
    rows = [(text, "CMR10") for n in range(7) for text in (str(n), f"{n}.5", f"4.{n}±0.3")]
    assert not are_formulas(pieces(*header, *rows))
    assert not are_formulas(pieces(*((text, "CMMI10") for n in range(5) for text in (f"x = {n}", "1.5", "−2"))))


def test_a_table_is_none_of_formulas():
    assert not are_formulas(pieces(("Symbol", "CMR10"), ("Meaning", "CMR10"), ("α = 3", "CMMI10"), ("slope", "CMR10")))
    assert not are_formulas(pieces(("x", "CMMI10"), ("y", "CMMI10"), ("1", "CMR10"), ("2", "CMR10")))  # states nothing
    assert not are_formulas(pieces(("2019", "CambriaMath"), ("4.5 %", "CambriaMath"), ("p = .04", "Cambria")))


def test_lines_of_formulas_of_a_thesis_are_no_tables(shared):
    (path,) = (shared / "structure" / "docs").glob("lotterbe__Bachelorarbeit__*.pdf")
    with pymupdf.open(path) as document:
        blocks = lay_out(read_page(document[1]), 1, with_tables=True).blocks
    assert {block.kind for block in blocks} == {"text"}
    assert r"=\frac{k}{2}\sum_{n=1}^{N-1}\alpha^{2}(\phi_{n+1}-\phi_{n})^{2}, \tag{2.4}" in [b.latex for b in blocks]
