from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import Node
from cosee.index.columns import column_units
from cosee.index.features import (
    Sketcher,
    aliases_for,
    image_affordances,
    section_affordances,
    section_filters,
    table_affordances,
    text_affordances,
    units_in,
)
from cosee.index.view import IndexView, row_names, table_schema


def test_text_affordances_are_true_and_false_by_content() -> None:
    # contract: D43
    rich = text_affordances("Sales grew from 5 % in 2019 to 9 % in 2021, more than before.")
    assert rich == {"has_numbers": True, "supports_COMPARE": True, "supports_LOOKUP": True, "supports_TREND": True}
    assert not any(text_affordances("Pumps are useful machines").values())


def test_table_and_image_affordances_by_content() -> None:
    # contract: D43
    build = TreeBuilder()
    years = build.table("tab_1", "", [["", "2019", "2020", "2021"], ["Sales", "1", "2", "3"], ["Cost", "1", "1", "1"]])
    words = build.table("tab_2", "", [["Name", "Role"], ["Ada", "chair"]])
    chart = build.image("img_3", "Accuracy over time", kind="statistical", chart_form="line")
    photo = build.image("img_4", "A heron", kind="photo")
    assert all(table_affordances(years).values())
    assert table_affordances(words) == {
        "has_numbers": False, "supports_COMPARE": False, "supports_LOOKUP": True, "supports_TREND": False,
    }  # fmt: skip
    assert image_affordances(chart)["supports_TREND"] and image_affordances(chart)["supports_COMPARE"]
    assert not any(image_affordances(photo).values())


def test_section_leads_to_media_of_its_subtree_only() -> None:
    # contract: D43
    view = IndexView(report_tree())
    method, results = view.tree.node("sec_5"), view.tree.node("sec_11")
    assert section_affordances(view, method)["supports_ROUTE_TO_image"]
    assert not section_affordances(view, method)["supports_ROUTE_TO_table"]
    assert section_affordances(view, results)["supports_ROUTE_TO_table"]


def test_section_filters_hold_place_units_and_chart_types() -> None:
    # contract: D40
    view = IndexView(report_tree())
    assert section_filters(view, view.tree.node("sec_6")) == {
        "page_idx": 3, "page_span": [3, 3], "level": 2, "parent_section": "sec_5", "parent_title": "2 Method",
        "chart_types": ["statistical"], "units_set": ["%", "ms"],
    }  # fmt: skip


def test_sketch_names_nodes_of_the_subtree_that_match_its_words_best() -> None:
    # contract: D44
    build = TreeBuilder()
    build.section("sec_1", "Pumps")
    build.leaf("t_2", "Something else entirely.")
    build.leaf("t_3", "Pump flow and pump head: flow of the pump, head of the pump.")
    build.section("sec_4", "Herons")
    build.leaf("t_5", "Pump pump pump flow head.")
    view = IndexView(build.build())
    sketch = Sketcher(view).sketch(view.tree.node("sec_1"))
    assert "pump" in sketch.keywords_topk
    assert sketch.representatives == {"top_paragraph": "t_3#c0"}


def test_units_need_a_number_or_brackets() -> None:
    assert units_in("40 ms and 5 kg, up 3 %") == ["%", "kg", "ms"]
    assert units_in("Latency (ms)") == ["ms"]
    assert units_in("items as many gems since the 2010s") == []


def test_aliases_hold_every_name_of_a_group() -> None:
    assert set(aliases_for("Average in percent").split()) == {"avg", "average", "mean", "pct", "percent", "%"}
    assert aliases_for("Herons") == ""


def test_a_currency_and_its_scale_are_the_unit_of_a_table():
    rows = [["Position", "2022"], ["Revenue", "1,234.5"]]
    node = Node(id="tab_1", type="table", parent="doc", page_idx=0, page_span=(0, 0), table=TableData(rows=rows))
    titled = node.model_copy(update={"title": "Table 10: Balance (EUR thousand)."})
    assert column_units(titled)[1] == ("2022", "€ thousand")
    assert column_units(node)[1] == ("2022", None)


def test_every_unit_is_found_in_its_forms() -> None:
    forms = {
        "%": "3 per cent", "ms": "(ms)", "s": "5 s", "min": "(min)", "h": "8 hrs", "kg": "2kg", "g": "5g", "t": "3 t",
        "km": "12 km", "m": "(m)", "cm": "4 cm", "mm": "4mm", "GB": "16GB", "MB": "(MB)", "kWh": "9 kWh", "MW": "5 MW",
        "W": "60 W", "V": "230 V", "Hz": "3 GHz", "°C": "20 ℃", "°F": "70 °F", "$": "USD 5", "€": "5 euros",
        "£": "£5", "¥": "5元", "thousand": "5千", "million": "5 million", "billion": "5億", "dB": "3 dB",
    }  # fmt: skip
    assert {unit: unit in units_in(text) for unit, text in forms.items()} == dict.fromkeys(forms, True)


def test_key_words_of_a_script_without_spaces_are_short_runs_and_pairs() -> None:
    # contract: D44
    build = TreeBuilder()
    build.section("sec_1", "经营情况")
    build.leaf("t_2", "本公司的营业收入大幅增长，其营业收入来自水泵。 营业收入 is revenue.")
    build.section("sec_3", "其他")
    build.leaf("t_4", "无")
    view = IndexView(build.build())
    words = Sketcher(view).sketch(view.tree.node("sec_1")).keywords_topk
    assert "营业" in words and all(len(word) <= 4 or word.isascii() for word in words)


def test_table_without_a_header_has_no_columns_and_no_lost_row() -> None:
    build = TreeBuilder()
    table = build.table("tab_1", "Debt due in USD", [])
    table.table = TableData(rows=[["2023", "17,397"], ["2024", "17,741"]], header_rows=0)
    assert table_schema(table) == [] and column_units(table) == []
    assert row_names(table) == ["2023", "2024"]
    assert table_affordances(table)["supports_COMPARE"]
