"""Finding tables on words and ruling lines: ruled grids, tables between horizontal rules, aligned columns."""

from __future__ import annotations

from cosee.adapter import geometry
from cosee.adapter.page_model import Fragment, TableFound, Vector
from cosee.adapter.table_columns import find_aligned, read_aligned, rows_of
from cosee.adapter.table_grid import Rule, find_grids, find_rules

MIN_RULE = 80.0
"""Shortest rule in points that frames a table from above and below."""


def find_ruled(fragments: list[Fragment], vectors: list[Vector]) -> list[TableFound]:
    """Tables that show in the page's rules; no two of them overlap."""
    horizontal, vertical = find_rules(vectors)
    tables = _disjoint(find_grids(horizontal, vertical, fragments))
    taken = {n for table in tables for n in table.fragments}
    for table in _between_rules(fragments, horizontal, taken):
        if all(geometry.intersection(table.bbox, other.bbox) < 0.2 * geometry.area(table.bbox) for other in tables):
            tables.append(table)
    return tables


def find_unruled(fragments: list[Fragment], indexes: list[int]) -> list[TableFound]:
    """Borderless tables in one column of the page (``indexes`` of its fragments)."""
    return find_aligned(fragments, indexes)


def _disjoint(tables: list[TableFound]) -> list[TableFound]:
    kept: list[TableFound] = []
    for table in sorted(tables, key=lambda t: -geometry.area(t.bbox)):
        if not any(table.fragments & other.fragments for other in kept):
            kept.append(table)
    return sorted(kept, key=lambda t: (t.bbox[1], t.bbox[0]))


def _between_rules(fragments: list[Fragment], horizontal: list[Rule], taken: set[int]) -> list[TableFound]:
    """Tables of the bookish kind: a rule above, one below the header, one below the body, all of one extent."""
    long = [rule for rule in horizontal if rule.end - rule.start >= MIN_RULE]
    found: list[TableFound] = []
    used: set[int] = set()
    for n, rule in enumerate(long):
        if n in used:
            continue
        group = [m for m in range(n, len(long)) if _same_extent(rule, long[m])]
        if len(group) < 3:
            continue
        table = _framed(fragments, [long[m] for m in group], taken)
        if table is not None:
            used.update(group)
            found.append(table)
    return _disjoint(found)


def _same_extent(one: Rule, other: Rule) -> bool:
    return abs(one.start - other.start) <= 4 and abs(one.end - other.end) <= 4


def _framed(fragments: list[Fragment], rules: list[Rule], taken: set[int]) -> TableFound | None:
    top, bottom = rules[0], rules[-1]
    box = (min(top.start, bottom.start), top.at, max(top.end, bottom.end), bottom.at)
    inside = [
        n
        for n, f in enumerate(fragments)
        if n not in taken and not f.hidden and not f.rotated and geometry.center_inside(f.bbox, box, 1.0)
    ]
    if not inside or any(fragments[n].bbox[0] < box[0] - 6 or fragments[n].bbox[2] > box[2] + 6 for n in inside):
        return None
    rows = rows_of(fragments, inside)
    if sum(1 for row in rows if row.tabular) < 0.6 * len(rows):
        return None
    table = read_aligned(rows, framed=True)
    if table is None:
        return None
    return TableFound(geometry.union((table.bbox, box)), table.rows, table.fragments, ruled=True)
