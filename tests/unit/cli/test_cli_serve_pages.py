"""The pages and pictures of ``cosee serve`` by HTTP: what is shown, what is not, and what a browser is told."""

from __future__ import annotations

import http.client
import re
import socket
from pathlib import Path
from urllib.parse import quote

import pytest

from cosee.commands.search_service import SearchService

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")


NOT_SHOWN = (
    "tiny/run.json",
    "metrics_summary.json",
    "report/../tiny/run.json",
    "report/..%2ftiny/run.json",
    "report/%2e%2e/tiny/run.json",
    "report//index.html",
    "report/link.html",
    "report/.hidden.html",
    "report/\\x",
    "tiny/traces/../../../secret.html",
    "..%2fsecret.html",
    "%2fetc%2fpasswd",
    "report/%00.html",
    ".cache/pages",
    "tiny/answers/cosee/tiny/alpha.jsonl",
    "report/pages/tiny/alpha/9999.webp",
    "report/pages/other/alpha/0001.webp",
    "report/pages/tiny/alpha/1.webp.exe",
    "report/pages/tiny/..%2falpha/0001.webp",
)


def get(port: int, path: str, host: str = "localhost") -> tuple[int, dict[str, str], bytes]:
    """Status, headers with their names in small letters, body; the path goes out as it is written."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_ask_nobody_else_and_say_so_to_the_browser(port: int, path: str) -> None:
    status, headers, body = get(port, path)
    text = body.decode()
    assert status == 200 and headers["content-type"].startswith("text/html")
    found = re.findall(r"""(?:src|href)=["']([^"']+)""", text)
    assert found and all(each.startswith(("/", "#", "data:")) and not each.startswith("//") for each in found)
    for each in found:
        if each.startswith("/") and not each.startswith("/results/"):
            assert get(port, each)[0] == 200, each
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe-eval" not in policy
    assert "script-src" not in policy, "scripts as all else: from here alone, and none inside a page"
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=", text)
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_endpoint_is_described_field_by_field(port: int) -> None:
    text = get(port, "/docs")[2].decode()
    for words in ("/agentic_search", "conversation_id", "at most 4000", "Too many questions wait already.", "/page"):
        assert words in text, words
    assert '"/page"' in get(port, "/openapi.json")[2].decode()


def test_a_page_is_a_picture_of_the_dataset_and_nothing_else(port: int) -> None:
    status, headers, body = get(port, "/page?doc_id=alpha&page=2")
    assert (status, headers["content-type"]) == (200, "image/png") and body.startswith(b"\x89PNG")
    for doc_id, page, expected in (
        ("alpha", "3000", 404), ("alpha", "0", 422), ("nobody", "1", 404), ("../tiny/alpha", "1", 404),
        ("alpha", "x", 422), ("", "1", 422),
    ):  # fmt: skip
        assert get(port, f"/page?doc_id={quote(doc_id, safe='')}&page={page}")[0] == expected, (doc_id, page)


def test_of_the_results_only_the_report_and_what_it_links_to_are_shown(port: int, service: SearchService) -> None:
    results = service.paths.results
    secret = Path("secret.html")
    secret.write_text("secret")
    link, hidden = results / "report" / "link.html", results / "report" / ".hidden.html"
    link.symlink_to(secret.resolve())
    hidden.write_text("secret")
    try:
        shown = ["report/index.html", "tiny/predictions/cosee.jsonl", "tiny/traces/cosee/tiny/alpha-1.ndjson"]
        for path in shown:
            status, headers, body = get(port, f"/results/{path}")
            assert status == 200 and body == (results / path).read_bytes(), path
            assert headers["x-content-type-options"] == "nosniff"
        assert get(port, "/results/tiny/traces/cosee/tiny/alpha-1.ndjson")[1]["content-type"].startswith("text/plain")
        for path in NOT_SHOWN:
            status, _, body = get(port, f"/results/{path}")
            assert status in (404, 422) and b"secret" not in body, path
    finally:
        for path in (link, hidden, secret):
            path.unlink()


def test_a_picture_that_the_report_lacks_is_made(port: int, service: SearchService) -> None:
    path = service.paths.results / "report" / "pages" / "tiny" / "alpha" / "0001.webp"
    data = path.read_bytes()
    assert get(port, "/results/report/pages/tiny/alpha/0001.webp")[1]["content-type"] == "image/webp"
    path.unlink()
    try:
        status, headers, body = get(port, "/results/report/pages/tiny/alpha/0001.webp")
        assert (status, headers["content-type"]) == (200, "image/png") and body.startswith(b"\x89PNG")
        assert not path.exists(), "the report is not written to"
    finally:
        path.write_bytes(data)


def test_pages_are_refused_under_another_name_of_this_machine(port: int) -> None:
    for path in ("/", "/page?doc_id=alpha&page=1", "/results/report/index.html", "/static/ask.js"):
        assert get(port, path, host="evil.example")[0] == 400, path
