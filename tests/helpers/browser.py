"""Pages of a browser that are watched: what they complain of, and what they ask for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OVERFLOW = (Path(__file__).parents[1] / "browser" / "overflow.js").read_text(encoding="utf-8")
"""Texts and pictures of the page that leave the box they stand in, and boxes that cut what stands in them."""
WIDTHS = (360, 800, 1280, 1920)
HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'


class Watched:
    """A page whose console errors and requests are kept; every request beyond ``place``, an address, is refused."""

    def __init__(self, browser, place: str, **options) -> None:
        self.place = place
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.errors.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        scheme = place.partition(":")[0]
        inside = ("file:", "data:") if scheme == "file" else (f"{place}/", "data:")
        self.page.route(lambda url: not url.startswith(inside), lambda route: route.abort())

    def open(self, path: str):
        self.page.goto(f"{self.place}/{path}")
        return self.page


@contextmanager
def watching(browser, place: str) -> Iterator:
    """Opens pages below an address; at the end none of them may have complained or asked for anything else."""
    opened: list[Watched] = []

    def make(**options) -> Watched:
        opened.append(Watched(browser, place, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.context.close()
        assert each.errors == []
        assert [url for url in each.requests if not url.startswith((place, "data:"))] == []


def window(width: int) -> dict[str, Any]:
    """Options of a page of this width; the narrowest is a phone's."""
    phone = {"has_touch": True, "is_mobile": True} if width < 500 else {}
    return {"viewport": {"width": width, "height": 760}, **phone}


def spilled(page) -> list[str]:
    """What is cut, leaves its box or needs scrolling aside, as the page is and with everything unfolded."""
    found = page.evaluate(OVERFLOW)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found += page.evaluate(OVERFLOW)
    wide, room = page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"]
    return [*found, f"the page is {wide} px wide in a window of {room}"] if wide > room else found
