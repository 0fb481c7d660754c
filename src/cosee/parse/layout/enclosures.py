"""Boxes drawn around text (cards, side bars, notes): what stands in one is read together."""

from __future__ import annotations

from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout import thresholds
from cosee.parse.layout.gutters import Atom
from cosee.parse.pdf.page_model import Vector


def find_enclosures(
    vectors: Sequence[Vector], page: BBox, atoms: list[Atom], floats: Sequence[BBox]
) -> list[tuple[BBox, list[int]]]:
    """The outermost boxes, each with the indexes of the atoms inside, which are two or more and not all.

    A box that texts cross, or that belongs to a table or figure, is none.
    """
    texts = [atom.bbox for atom in atoms if atom.is_text]
    empty = [box for box in floats if not any(geometry.center_inside(text, box) for text in texts)]
    found: list[tuple[BBox, list[int]]] = []
    taken: set[int] = set()
    for box in _candidates(vectors, page, empty):
        inside = [i for i, atom in enumerate(atoms) if geometry.center_inside(atom.bbox, box)]
        if len(inside) < 2 or len(inside) == len(atoms) or taken & set(inside):
            continue
        if sum(atoms[i].is_text for i in inside) < 2:
            continue
        if not all(geometry.contains(box, atoms[i].bbox, thresholds.ENCLOSURE_TOLERANCE) for i in inside):
            continue
        members = set(inside)
        crossing = sum(_crosses(atom, box) for i, atom in enumerate(atoms) if i not in members)
        if crossing > thresholds.STRAY * len(inside):
            continue
        found.append((box, inside))
        taken.update(inside)
    return found


def _candidates(vectors: Sequence[Vector], page: BBox, floats: Sequence[BBox]) -> list[BBox]:
    """Rectangles of the size of a box of text, without those in a float, the largest first."""
    boxes: dict[tuple[int, ...], BBox] = {}
    for vector in vectors:
        box = vector.bbox
        if geometry.width(box) < thresholds.ENCLOSURE_WIDTH or geometry.height(box) < thresholds.ENCLOSURE_HEIGHT:
            continue
        if geometry.area(box) < thresholds.ENCLOSURE_AREA * geometry.area(page):
            boxes.setdefault(tuple(round(x / thresholds.ENCLOSURE_GRID) for x in box), box)
    kept = [box for box in boxes.values() if not any(geometry.center_inside(box, other) for other in floats)]
    return sorted(kept, key=lambda box: (-geometry.area(box), box))[: thresholds.MAX_ENCLOSURES]


def _crosses(atom: Atom, box: BBox) -> bool:
    """Whether a text outside reaches well into the box."""
    return atom.is_text and geometry.intersection(atom.bbox, box) > thresholds.STRAY_AREA * geometry.area(atom.bbox)


def horizontal_rules(vectors: Sequence[Vector], floats: Sequence[BBox]) -> list[BBox]:
    """Lines across the page that are no part of a float."""
    thin = [v.bbox for v in vectors if geometry.height(v.bbox) <= thresholds.RULE_THICKNESS]
    lines = [box for box in thin if geometry.width(box) >= thresholds.RULE_LENGTH]
    return [line for line in lines if not any(geometry.center_inside(line, box) for box in floats)]
