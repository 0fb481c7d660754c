"""The words that open captions, by language, and the patterns that tell the first line of a caption."""

from __future__ import annotations

import re
from typing import Literal

from cosee.text.number_words import HAN_TO_TEN

Medium = Literal["image", "table"]

CAPTION_WORDS: dict[str, tuple[Medium, str]] = {
    "figure": ("image", "Figure"), "fig": ("image", "Figure"), "figura": ("image", "Figura"),
    "chart": ("image", "Chart"), "graph": ("image", "Graph"), "plate": ("image", "Plate"),
    "scheme": ("image", "Scheme"), "diagram": ("image", "Diagram"), "map": ("image", "Map"),
    "photo": ("image", "Photo"), "image": ("image", "Image"), "exhibit": ("image", "Exhibit"),
    "illustration": ("image", "Illustration"),
    "abbildung": ("image", "Abbildung"), "abb": ("image", "Abbildung"), "grafik": ("image", "Grafik"),
    "figuur": ("image", "Figuur"), "afbeelding": ("image", "Afbeelding"), "figur": ("image", "Figur"),
    "bild": ("image", "Bild"), "kuva": ("image", "Kuva"), "kuvio": ("image", "Kuvio"),
    "graphique": ("image", "Graphique"), "schéma": ("image", "Schéma"), "carte": ("image", "Carte"),
    "gráfico": ("image", "Gráfico"), "gráfica": ("image", "Gráfica"), "grafico": ("image", "Grafico"),
    "ilustración": ("image", "Ilustración"), "ilustração": ("image", "Ilustração"),
    "fotografía": ("image", "Fotografía"), "foto": ("image", "Foto"),
    "rysunek": ("image", "Rysunek"), "rys": ("image", "Rys."), "wykres": ("image", "Wykres"),
    "obrázek": ("image", "Obrázek"), "obr": ("image", "Obr."), "graf": ("image", "Graf"),
    "şekil": ("image", "Şekil"), "gambar": ("image", "Gambar"), "hình": ("image", "Hình"),
    "рис": ("image", "Рис."), "рисунок": ("image", "Рисунок"), "график": ("image", "График"),
    "схема": ("image", "Схема"), "мал": ("image", "Мал."),
    "σχήμα": ("image", "Σχήμα"), "εικόνα": ("image", "Εικόνα"),
    "شكل": ("image", "شكل"), "الشكل": ("image", "الشكل"), "رسم": ("image", "رسم"),
    "איור": ("image", "איור"), "चित्र": ("image", "चित्र"),
    "table": ("table", "Table"), "tab": ("table", "Table"), "tabelle": ("table", "Tabelle"),
    "tableau": ("table", "Tableau"), "tabla": ("table", "Tabla"), "tabela": ("table", "Tabela"),
    "cuadro": ("table", "Cuadro"), "quadro": ("table", "Quadro"), "tabella": ("table", "Tabella"),
    "tabel": ("table", "Tabel"), "tabell": ("table", "Tabell"), "taulukko": ("table", "Taulukko"),
    "tabulka": ("table", "Tabulka"), "tablo": ("table", "Tablo"), "bảng": ("table", "Bảng"),
    "таблица": ("table", "Таблица"), "табл": ("table", "Табл."), "таблиця": ("table", "Таблиця"),
    "πίνακας": ("table", "Πίνακας"), "جدول": ("table", "جدول"), "الجدول": ("table", "الجدول"),
    "טבלה": ("table", "טבלה"), "तालिका": ("table", "तालिका"),
}  # fmt: skip
"""A word in lower case -> what it names, and how the label is cited. General knowledge: the words of captions in each
language, as style guides list them."""
CJK_CAPTION_WORDS: dict[str, Medium] = {
    "图表": "image", "圖表": "image", "図表": "image", "图": "image", "圖": "image", "図": "image", "그림": "image",
    "写真": "image", "表": "table", "표": "table",
}  # fmt: skip
_NUMBER = r"(?:[A-Z]{1,2}[.\-]?)?\d|[IVX]+\b|[A-Z]\b"
_CJK_NUMBER = rf"[\dA-Z{HAN_TO_TEN}：:]"


def _spelled(medium: Medium | None) -> str:
    """Words of one medium (of all for None) as a caption may spell them: with a capital, or all in capitals."""
    words = [word for word, (kind, _) in CAPTION_WORDS.items() if medium in (None, kind)]
    return _either({form for word in words for form in (word[:1].upper() + word[1:], word.upper())})


def _either(words: set[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


_OPENING = r"[〔【\[(]?"
CAPTION = re.compile(
    rf"{_OPENING}(?:(?:{_spelled(None)})\.?\s*(?:{_NUMBER})|(?:{_either(set(CJK_CAPTION_WORDS))})\s*{_CJK_NUMBER})"
    r"|(?:Source|SOURCE|Quelle|Fuente|Fonte|Источник)s?\s*[:\d]|来源|资料来源|출처"
)
"""The first line of a caption, or of a source note. General knowledge: "source" in the languages."""
FIGURE_CAPTION = re.compile(
    rf"{_OPENING}(?:(?:{_spelled('image')})\.?\s*(?:{_NUMBER})"
    rf"|(?:{_either({word for word, medium in CJK_CAPTION_WORDS.items() if medium == 'image'})})\s*{_CJK_NUMBER})"
)
"""The first line of a figure's caption (or of a sentence about one)."""
NOTE = re.compile(
    r"\W*(?:sources?|notes?|quellen?|anmerkung(?:en)?|remarques?|fuentes?|fonte|注|来源|资料来源|資料來源|数据来源|出典|資料"
    r"|備考)\s*[:：.]",
    re.IGNORECASE,
)
"""How a note below a table or figure begins."""
PART_LABEL = re.compile(r"\(?(?:[a-z]|[A-Z]|[ivx]{1,4})\)(?:\s|$)")
"""The label of one part of a figure, ``(a)``, with or without a title."""
