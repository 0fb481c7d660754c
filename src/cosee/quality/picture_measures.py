"""Measures of ``piq`` that compare a picture with a reference, where a torchvision works beside the installed torch.

Only measures without weights: what ``piq`` and ``pyiqa`` have beside these is fetched on first use, or unpickled.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from cosee.quality.thresholds import MAX_QUOTED_ERROR

if TYPE_CHECKING:
    from PIL.Image import Image

Measure = Literal["MS-SSIM", "FSIM", "VSI", "HaarPSI"]
"""Wang, Simoncelli and Bovik 2003; Zhang, Zhang, Mou and Zhang 2011; Zhang, Shen and Li 2014; Reisenhofer, Bosse,
Kutyniok and Wiegand 2018. 1 for equal pictures."""
LEAST_SIDE: dict[Measure, int] = {"MS-SSIM": 161, "FSIM": 16, "VSI": 16, "HaarPSI": 16}
"""Pixels of the shorter side that a measure needs."""


@cache
def unavailable() -> str | None:
    """Why the measures cannot run in this installation, None where they can.

    It tries: a torchvision of another build than torch is found and cannot be imported, or lacks its compiled
    operations (with it, image processors of transformers fail too).
    """
    if find_spec("torchvision") is None:
        return f"torchvision is not installed: install the build that belongs to torch {_version('torch')}, then piq"
    try:
        import torch
        from torchvision.ops import nms

        nms(torch.tensor([[0.0, 0.0, 1.0, 1.0]]), torch.tensor([1.0]), 0.5)
    except Exception as error:  # a broken build raises whatever its loader raises
        installed = f"torchvision {_version('torchvision')} does not work with torch {_version('torch')}"
        return f"{installed} ({_first_line(error)}): install the build of torchvision that belongs to it, or remove it"
    if find_spec("piq") is None:
        return "piq is not installed: pip install piq"
    try:
        import piq  # noqa: F401
    except Exception as error:
        return f"piq {_version('piq')} cannot be imported ({_first_line(error)})"
    return None


def compare(measure: Measure, image: Image, reference: Image) -> float:
    """How alike two pictures of one size are: 1 where they are equal, on the CPU in float32."""
    import piq

    function = {
        "MS-SSIM": piq.multi_scale_ssim,
        "FSIM": piq.fsim,
        "VSI": piq.vsi,
        "HaarPSI": piq.haarpsi,
    }[measure]
    return float(function(_tensor(image), _tensor(reference), data_range=1.0))


def _tensor(image: Image) -> object:
    """(1, 3, height, width) in 0..1."""
    import numpy as np
    import torch

    return torch.from_numpy(np.asarray(image.convert("RGB"), dtype=np.float32) / 255).permute(2, 0, 1)[None]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:MAX_QUOTED_ERROR]}"
