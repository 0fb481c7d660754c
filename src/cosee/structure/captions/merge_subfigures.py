"""Figure parts (a), (b) ... that share one caption become one figure; its parts and their captions are kept."""

from __future__ import annotations

from collections.abc import Callable

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.captions import thresholds
from cosee.structure.captions.labels import sub_label
from cosee.structure.draft import TEXT_ROLES, Draft


def merge_subfigures(draft: Draft) -> None:
    """Join every image that has a caption with the caption-less images that belong to it."""
    by_id = {item.id: item for item in draft.items}
    for items in draft.on_pages().values():
        images = [item for item in items if item.role == "image"]
        if not 2 <= len(images) <= thresholds.MAX_IMAGES:
            continue
        labels = _sub_labels(items, images)
        barriers = _barriers(items, {label.id for own in labels.values() for label in own})
        free = [image for image in images if not image.caption_ids and image.label is None]
        for figure in [image for image in images if image.caption_ids]:
            captions = [by_id[caption] for caption in figure.caption_ids if caption in by_id]
            own = [image for image in free if image.id in labels or not _is_ornament(image, figure, images)]
            parts = _parts(figure, own, captions, barriers, labels)
            if parts:
                taken = {part.id for part in parts}
                free = [image for image in free if image.id not in taken]
                _join(draft, figure, parts, images, captions, labels)
    draft.sweep()


def _is_ornament(image: ContentItem, figure: ContentItem, images: list[ContentItem]) -> bool:
    """Whether the same picture stands on the page again, without being what the figure shows."""
    path = image.image_path
    return path not in (None, figure.image_path) and sum(other.image_path == path for other in images) > 1


def _sub_labels(items: list[ContentItem], images: list[ContentItem]) -> dict[str, list[ContentItem]]:
    """Image id -> short texts like ``(a) Before`` right below, above or inside it."""
    labels: dict[str, list[ContentItem]] = {}
    for item in items:
        if item.role not in TEXT_ROLES | {"caption"} or item.caption_of or sub_label(item.text) is None:
            continue
        gap, image_id = min((_label_gap(item.bbox, image.bbox), image.id) for image in images)
        if gap <= thresholds.MAX_GAP_PART_LABEL and len(item.text) <= thresholds.MAX_PART_LABEL_CHARACTERS:
            labels.setdefault(image_id, []).append(item)
    return labels


def _label_gap(label: BBox, image: BBox) -> float:
    """Distance of a label from an image; a label above counts double, since most stand below."""
    if geometry.overlap_share_x(label, image) < thresholds.MIN_OVERLAP_PART_LABEL:
        return 1.0
    gap = geometry.gap_y(label, image)
    return gap if label[3] > image[1] + thresholds.LABEL_ABOVE else 2 * gap


def _barriers(items: list[ContentItem], label_ids: set[str]) -> list[ContentItem]:
    """What stands between different figures: text, tables, captions."""
    return [
        item
        for item in items
        if item.id not in label_ids
        and (
            item.role in ("table", "caption", "heading")
            or (item.role != "image" and len(item.text) > thresholds.MIN_BARRIER_CHARACTERS)
        )
    ]


def _parts(
    figure: ContentItem,
    free: list[ContentItem],
    captions: list[ContentItem],
    barriers: list[ContentItem],
    labels: dict[str, list[ContentItem]],
) -> list[ContentItem]:
    """Images that belong to ``figure``: reachable over small gaps, nothing between, all on one side of the caption."""
    # What lies for the most part on the figure is a piece of the same drawing.
    covered = [image for image in free if geometry.share_inside(image.bbox, figure.bbox) > 0.5]
    parts = list(covered)
    while True:
        inside = [figure, *parts]
        grown = geometry.union([part.bbox for part in inside])
        found = [
            image
            for image in free
            if all(image is not part for part in parts)
            and any(_adjacent(image, part, labels) for part in inside)
            and not _separated(geometry.union([grown, image.bbox]), barriers)
            and _same_side(image.bbox, figure.bbox, captions)
        ]
        if not found:
            break
        parts += found
    labelled = sum(bool(labels.get(part.id)) for part in [figure, *parts])
    if labelled >= 2 or (labelled and len(parts) == 1):
        return parts
    whole = [figure, *parts]
    of_one_size = all(_are_equal(whole, side, thresholds.EQUAL_SIDES) for side in (geometry.height, geometry.width))
    alike = parts if of_one_size else [part for part in parts if _under_caption(part, captions)]
    accepted = {part.id for part in (*covered, *(alike if _row_or_column(whole) else []))}
    return [part for part in parts if part.id in accepted]


def _adjacent(image: ContentItem, part: ContentItem, labels: dict[str, list[ContentItem]]) -> bool:
    one, other = image.bbox, part.bbox
    gap = thresholds.MAX_GAP_PARTS
    if labels.get(image.id) and labels.get(part.id):
        gap = thresholds.MAX_GAP_LABELLED_PARTS
    side_by_side = geometry.overlap_share_y(one, other) > 0.5 and geometry.gap_x(one, other) <= gap
    stacked = geometry.overlap_share_x(one, other) > 0.5 and geometry.gap_y(one, other) <= gap
    return side_by_side or stacked


def _separated(box: BBox, barriers: list[ContentItem]) -> bool:
    return any(geometry.share_inside(barrier.bbox, box) > 0.5 for barrier in barriers)


def _same_side(image: BBox, figure: BBox, captions: list[ContentItem]) -> bool:
    return all((image[1] < caption.bbox[1]) == (figure[1] < caption.bbox[1]) for caption in captions)


def _under_caption(part: ContentItem, captions: list[ContentItem]) -> bool:
    """Without sub-labels, the caption itself has to reach over the part."""
    return any(
        geometry.overlap_share_x(part.bbox, caption.bbox) > thresholds.MIN_OVERLAP_CAPTION for caption in captions
    )


def _are_equal(parts: list[ContentItem], side: Callable[[BBox], float], least: float) -> bool:
    """Whether the shortest of a side of all parts is at least a share of the longest."""
    lengths = [side(part.bbox) for part in parts]
    return min(lengths) >= least * max(lengths)


def _row_or_column(parts: list[ContentItem]) -> bool:
    """Parts of one figure without labels are alike: all charts, equally high in a row, or equally wide in a column."""
    return (
        all(part.chart_form is not None for part in parts)
        or _are_equal(parts, geometry.height, thresholds.EQUAL_HEIGHTS)
        or _are_equal(parts, geometry.width, thresholds.EQUAL_WIDTHS)
    )


def _join(
    draft: Draft,
    figure: ContentItem,
    parts: list[ContentItem],
    images: list[ContentItem],
    captions: list[ContentItem],
    labels: dict[str, list[ContentItem]],
) -> None:
    ids = {figure.id, *(part.id for part in parts)}
    ordered = [image for image in images if image.id in ids]
    target, rest = ordered[0], ordered[1:]
    if target is not figure:
        target.caption, target.label, figure.caption = figure.caption, figure.label, None
    own_labels = [label for image in ordered for label in labels.get(image.id, [])]
    draft.absorb(target, rest, "\n".join(image.text for image in ordered if image.text))
    target.caption_ids += [label.id for label in own_labels]
    target.bbox = geometry.union([target.bbox, *(label.bbox for label in own_labels)])
    target.kind = target.kind or next((image.kind for image in ordered if image.kind), None)
    _join_charts(target, ordered)
    for caption in captions:
        caption.caption_of = target.id
    for label in own_labels:
        label.role, label.level, label.caption_of = "caption", None, target.id


def _join_charts(target: ContentItem, parts: list[ContentItem]) -> None:
    """The form that all charts among the parts have (``other`` for several), with all their series."""
    forms = {part.chart_form for part in parts if part.chart_form is not None}
    if not forms:
        return
    target.chart_form = forms.pop() if len(forms) == 1 else "other"
    series = [series for part in parts if part.chart is not None for series in part.chart.series]
    if series:
        first = next(part.chart for part in parts if part.chart is not None)
        target.chart = first.model_copy(update={"form": target.chart_form, "series": series})
