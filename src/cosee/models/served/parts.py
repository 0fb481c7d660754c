"""Pictures as servers take them."""

from __future__ import annotations

import base64

from cosee.models.blocks import PageImage


def picture_base64(image: PageImage, limit: int, size: tuple[int, int]) -> tuple[str, str]:
    """Type and bytes of a picture, the bytes in base64; see ``PageImage.encoded``."""
    media_type, data = image.encoded(limit, size)
    return media_type, base64.b64encode(data).decode("ascii")
