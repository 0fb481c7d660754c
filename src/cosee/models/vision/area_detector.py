"""Areas of a page picture by a small detector (PicoDet trained on CDLA): figures, tables, captions, text, equations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cosee.artifacts.base import BBox
from cosee.models import weights
from cosee.models.vision.thresholds import LEAST_AREA_SCORE, MOST_AREA_OVERLAP

if TYPE_CHECKING:
    import numpy as np

    from cosee.imaging.ink import Gray

WEIGHTS = "layout-cdla"
KINDS = ("text", "title", "figure", "figure_caption", "table", "table_caption", "header", "footer", "reference")
"""What the detector tells apart, in its own order; then follows ``equation``."""
_HIGH, _WIDE = 800, 608
_STRIDES = (8, 16, 32, 64)
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Area:
    """One area: ``bbox`` in pixels of the picture, ``score`` 0..1."""

    kind: str
    bbox: BBox
    score: float


def is_available() -> bool:
    """Whether the weights were fetched and ``onnxruntime`` is installed."""
    return weights.find(WEIGHTS) is not None and find_spec("onnxruntime") is not None


def lacked() -> set[str]:
    """What keeps it from being available, by the names of ``cosee.machine``."""
    return {weights.lacked(WEIGHTS)} if weights.find(WEIGHTS) is None else {"python:onnxruntime"}


def detect(gray: Gray) -> list[Area]:
    """Areas of an upright page picture, from top to bottom; needs ``is_available``."""
    import numpy as np
    from PIL import Image

    picture = Image.fromarray(gray).resize((_WIDE, _HIGH), Image.Resampling.BILINEAR)
    plane = np.asarray(picture, dtype=np.float32) / 255
    planes = np.stack([(plane - mean) / spread for mean, spread in zip(_MEAN, _SPREAD, strict=True)])[None]
    outputs = _session().run(None, {"image": planes.astype(np.float32)})
    half = len(outputs) // 2
    scores = np.concatenate([output[0] for output in outputs[:half]])
    boxes = np.concatenate([_boxes(output[0], stride) for output, stride in zip(outputs[half:], _STRIDES, strict=True)])
    boxes *= np.array([gray.shape[1] / _WIDE, gray.shape[0] / _HIGH] * 2, dtype=np.float32)
    areas = []
    for number, kind in enumerate((*KINDS, "equation")):
        areas += [
            Area(kind, tuple(round(float(value), 1) for value in box), round(float(score), 3))  # type: ignore[arg-type]
            for box, score in _best(boxes, scores[:, number])
        ]
    return sorted(areas, key=lambda area: (area.bbox[1], area.bbox[0], area.kind))


def _boxes(distances: np.ndarray, stride: int) -> np.ndarray:
    """Boxes from the distribution of each side's distance to its cell's middle."""
    import numpy as np

    rows, columns = -(-_HIGH // stride), -(-_WIDE // stride)
    ys, xs = np.mgrid[0:rows, 0:columns]
    middle = (np.stack((xs, ys, xs, ys), axis=-1).reshape(-1, 4) + 0.5) * stride
    bins = distances.reshape(len(middle), 4, -1)
    odds = np.exp(bins - bins.max(axis=2, keepdims=True))
    length = (odds * np.arange(bins.shape[2])).sum(axis=2) / odds.sum(axis=2) * stride
    return np.asarray(middle + length * np.array([-1, -1, 1, 1]), dtype=np.float32)


def _best(boxes: np.ndarray, scores: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The surest boxes of one kind, those that overlap a surer one left out."""
    import numpy as np

    order = [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] >= LEAST_AREA_SCORE]
    kept: list[int] = []
    for i in order:
        if all(_overlap(boxes[i], boxes[j]) <= MOST_AREA_OVERLAP for j in kept):
            kept.append(i)
    return [(boxes[i], float(scores[i])) for i in kept]


def _overlap(one: np.ndarray, other: np.ndarray) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    common = max(0.0, float(wide)) * max(0.0, float(high))
    whole = sum(float((box[2] - box[0]) * (box[3] - box[1])) for box in (one, other)) - common
    return common / whole if whole > 0 else 0.0


@lru_cache(maxsize=1)
def _session() -> Any:
    import onnxruntime

    folder = weights.find(WEIGHTS)
    assert folder is not None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(folder / "layout_cdla.onnx"), options, providers=["CPUExecutionProvider"])
