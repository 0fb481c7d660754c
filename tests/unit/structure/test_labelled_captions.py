from __future__ import annotations

import pytest
from helpers.content_lists import Pages, outline_of

from cosee.structure.captions.labelled_captions import best_pairs
from cosee.structure.captions.labels import caption_label, sub_label
from cosee.structure.enhance import enhance
from cosee.text.caption_words import CAPTION, FIGURE_CAPTION, PART_LABEL


@pytest.mark.parametrize(
    ("text", "label", "medium"),
    [
        ("Figure 3: Rainfall by month.", "Figure 3", "image"),
        ("Fig. 2b. Runoff", "Figure 2b", "image"),
        ("FIGURE 4.1 Test rig", "Figure 4.1", "image"),
        ("Table 2", "Table 2", "table"),
        ("TABLE IV. RESULTS", "Table IV", "table"),
        ("Table A-1: Units", "Table A-1", "table"),
        ("Exhibit 7 | Costs", "Exhibit 7", "image"),
        ("图3 走势", "图3", "image"),
        ("表 2-1　结果", "表2-1", "table"),
        ("図3：構成", "図3", "image"),
        ("Abbildung 5: Aufbau", "Abbildung 5", "image"),
        ("[Figure 3] The pump", "Figure 3", "image"),
        ("Figure 7—The pump house", "Figure 7", "image"),
        ("Abb. 5: Anlage von oben", "Abbildung 5", "image"),
        ("Figuur 2: De haven", "Figuur 2", "image"),
        ("Gráfico 2: Ventas por año", "Gráfico 2", "image"),
        ("Schéma 1 : Pompe", "Schéma 1", "image"),
        ("Obrázek 3: Čerpadlo", "Obrázek 3", "image"),
        ("Şekil 2. Pompa", "Şekil 2", "image"),
        ("Рис. 4. Схема насоса", "Рис. 4", "image"),
        ("Σχήμα 3: Η αντλία", "Σχήμα 3", "image"),
        ("شكل 3: المضخة", "شكل 3", "image"),
        ("图 3 设备外观", "图3", "image"),
        ("그림 2. 장치 외관", "그림2", "image"),
        ("Map 2: Wells", "Map 2", "image"),
    ],
)
def test_labels_of_captions_in_many_languages(text: str, label: str, medium: str) -> None:
    # contract: D13
    found = caption_label(text)
    assert found is not None
    assert (found.label, found.medium) == (label, medium)
    assert CAPTION.match(text) and (FIGURE_CAPTION.match(text) is not None) == (medium == "image")


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows the rainfall by month.",
        "Figures 3 and 4 agree.",
        "Table 2 and Table 3 list the units.",
        "Table 1 is empty.",
        "Figure 3, on the other hand, agrees.",
        "figure 3: lower case",
        "图3所示的走势",
        "表2は結果を示す",
        "Tables are numbered.",
        "Figured 3 times",
        "Abbildung 3 zeigt den Verlauf der Kosten",
        "Figure 3 montre la pompe",
        "Рис. 3 показывает насос",
        "شكل 3 يوضح المضخة",
        "Figure 2 overview of the system is given in the chapter on pumps.",
        "figure 3 of the report",
    ],
)
def test_prose_about_figures_is_no_caption(text: str) -> None:
    assert caption_label(text) is None


def test_labels_of_parts() -> None:
    assert all(PART_LABEL.match(text) for text in ("(a)", "b) Cost", "(ii) North"))
    assert not any(PART_LABEL.match(text) for text in ("(see below)", "a valve", "12)"))
    assert [sub_label(text) for text in ("(a) Before", "b) After", "(C)", "A", "(ii) x", "Before", "a word")] == [
        "a", "b", "c", "a", "ii", None, None,
    ]  # fmt: skip


def test_bold_captions_in_heading_style_become_captions_and_true_headings_stay() -> None:
    # contract: D13, D14
    pages = Pages()
    pages.heading("2 Results")
    pages.body(1)
    pages.heading("Table 1 Results of the trial")
    table = pages.table([["Site", "Mean"], ["North", "4.1"]])
    picture = pages.image()
    pages.heading("Figure 2 Results of the second trial")
    pages.heading("3 Discussion")
    pages.body(2)
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced) == [(1, "2 Results"), (1, "3 Discussion")]
    items = {item.id: item for item in enhanced.items}
    assert (items[table.id].label, items[table.id].caption) == ("Table 1", "Table 1 Results of the trial")
    assert (items[picture.id].label, items[picture.id].caption) == ("Figure 2", "Figure 2 Results of the second trial")


def test_caption_and_medium_point_at_each_other() -> None:
    # contract: D15
    pages = Pages()
    picture = pages.image()
    text = pages.add("Figure 4. Test rig seen from the south. The tank stands on three feet.")
    enhanced = enhance(pages.adapted())
    items = {item.id: item for item in enhanced.items}
    assert items[picture.id].caption_ids == [text.id]
    assert items[text.id].caption_of == picture.id
    assert items[text.id].role == "caption"
    assert items[picture.id].caption == text.text


def test_a_caption_nearer_to_the_next_picture_stays_with_its_own() -> None:
    pages = Pages()
    first = pages.image(bbox=(0.2, 0.15, 0.8, 0.35))
    pages.add("Figure 1: Rainfall by month.", bbox=(0.3, 0.375, 0.7, 0.39))
    second = pages.image(bbox=(0.2, 0.4, 0.8, 0.6))
    pages.add("Figure 2: Runoff by month.", bbox=(0.3, 0.605, 0.7, 0.62))
    items = {item.id: item for item in enhance(pages.adapted()).items}
    assert (items[first.id].label, items[second.id].label) == ("Figure 1", "Figure 2")


def test_small_text_below_a_picture_is_its_caption_without_a_label() -> None:
    pages = Pages()
    pages.body(1)
    picture = pages.image(bbox=(0.2, 0.3, 0.6, 0.5))
    pages.add("The Old Supreme Court Chamber in the Capitol", size=8, bbox=(0.2, 0.51, 0.58, 0.53))
    pages.body(2)
    items = {item.id: item for item in enhance(pages.adapted()).items}
    assert items[picture.id].caption == "The Old Supreme Court Chamber in the Capitol"


def test_the_title_over_a_chart_is_its_caption_and_small_text_below_its_note() -> None:
    # contract: D13
    pages = Pages()
    pages.heading("Main findings", 16)
    pages.body(1)
    pages.heading("Most people like one party", 11, bbox=(0.5, 0.36, 0.8, 0.38))
    pages.add("% who are ...", size=8, bbox=(0.5, 0.385, 0.6, 0.395))
    chart = pages.image(bbox=(0.49, 0.4, 0.9, 0.6), kind="statistical", chart_form="bar")
    note = pages.add("A survey of the spring of 2018", size=7, bbox=(0.5, 0.605, 0.8, 0.615))
    enhanced = enhance(pages.adapted())
    items = {item.id: item for item in enhanced.items}
    assert outline_of(enhanced) == [(1, "Main findings")]
    assert items[chart.id].caption == "Most people like one party % who are ..."
    assert items[chart.id].footnote_ids == [note.id]


def test_a_caption_without_a_figure_on_its_page_is_still_a_caption() -> None:
    pages = Pages()
    pages.body(1)
    text = pages.add("Figure 9: A drawing that was not found.")
    items = {item.id: item for item in enhance(pages.adapted()).items}
    assert (items[text.id].role, items[text.id].label, items[text.id].caption_of) == ("caption", "Figure 9", None)


def test_pairs_have_the_least_total_cost() -> None:
    assert best_pairs([{0: 0.1, 1: 0.2}, {0: 0.15}]) == [1, 0]
    assert best_pairs([{0: 0.1}, {0: 0.05}, {}]) == [None, 0, None]
    assert best_pairs([{row: 0.1} for row in range(9)]) == list(range(9))
