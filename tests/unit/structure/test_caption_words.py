from __future__ import annotations

import pytest

from cosee.structure.captions.labels import caption_label
from cosee.text.caption_words import CAPTION, FIGURE_CAPTION, PART_LABEL


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Figure 3: Rainfall", "Figure 3"),
        ("FIG. 2. Runoff", "Figure 2"),
        ("[Figure 3] The pump", "Figure 3"),
        ("Figure 7—The pump house", "Figure 7"),
        ("Abb. 5: Anlage von oben", "Abbildung 5"),
        ("Figuur 2: De haven", "Figuur 2"),
        ("Gráfico 2: Ventas por año", "Gráfico 2"),
        ("Schéma 1 : Pompe", "Schéma 1"),
        ("Obrázek 3: Čerpadlo", "Obrázek 3"),
        ("Şekil 2. Pompa", "Şekil 2"),
        ("Рис. 4. Схема насоса", "Рис. 4"),
        ("Σχήμα 3: Η αντλία", "Σχήμα 3"),
        ("شكل 3: المضخة", "شكل 3"),
        ("图 3 设备外观", "图3"),
        ("그림 2. 장치 외관", "그림2"),
        ("Map 2: Wells", "Map 2"),
    ],
)
def test_captions_of_figures_in_many_languages(text: str, label: str) -> None:
    # contract: D13
    found = caption_label(text)
    assert found is not None and (found.label, found.medium) == (label, "image")
    assert CAPTION.match(text) and FIGURE_CAPTION.match(text)


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows the dock",
        "Table 2 lists the valves",
        "Abbildung 3 zeigt den Verlauf der Kosten",
        "Figure 3 montre la pompe",
        "Рис. 3 показывает насос",
        "شكل 3 يوضح المضخة",
        "Figure 2 overview of the system is given in the chapter on pumps.",
        "figure 3 of the report",
    ],
)
def test_sentences_about_a_figure_are_no_captions(text: str) -> None:
    assert caption_label(text) is None


def test_labels_of_parts() -> None:
    assert all(PART_LABEL.match(text) for text in ("(a)", "b) Cost", "(ii) North"))
    assert not any(PART_LABEL.match(text) for text in ("(see below)", "a valve", "12)"))
