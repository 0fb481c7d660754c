"""Pages of a browser that are watched: what they complain of, and what they ask for."""

from collections.abc import Iterator
from contextlib import contextmanager

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
