"""``cosee mcp`` as an assistant starts it: a child process, spoken to by the official client."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from helpers.project import Project
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image

from cosee.cli import main

Call = Callable[..., Awaitable[Any]]


@pytest.fixture(scope="module")
def project(ran: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy, one of whose documents is a link out of the project."""
    copy = ran.copy(tmp_path_factory.mktemp("mcp") / "project")
    outside = copy.folder.parent / "outside"
    (copy.data / "gamma").rename(outside)
    (copy.data / "gamma").symlink_to(outside, target_is_directory=True)
    return copy


@pytest.fixture(scope="module")
def told(project: Project) -> dict[str, Any]:
    """What the server said to every call, by the call's name; one child process for all of them."""

    async def talk() -> dict[str, Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "cosee.cli", "mcp", "--project", str(project.folder)],
            env=project.environment(),
        )
        async with Client(stdio_client(server)) as client:
            found: dict[str, Any] = {"tools": (await client.list_tools()).tools}
            calls = {
                "documents": ("list_documents", {}),
                "after": ("list_documents", {"offset": 2}),
                "outline": ("outline", {"doc_id": "alpha"}),
                "search": ("search", {"doc_id": "alpha", "query": "river"}),
                "pages": ("read_pages", {"doc_id": "alpha", "first": 1, "last": 2}),
                "rest": ("read_pages", {"doc_id": "alpha", "first": 1, "offset": 10}),
                "node": ("read_node", {"doc_id": "alpha", "node_id": "sec_0"}),
                "ask": ("ask", {"doc_id": "alpha", "question": "How wide was the river?"}),
                "page": ("picture", {"doc_id": "alpha", "page": 1}),
                "part": ("picture", {"doc_id": "alpha", "page": 1, "box": [0.1, 0.1, 0.6, 0.2]}),
                "up": ("read_pages", {"doc_id": "../../../etc/passwd", "first": 1}),
                "root": ("ask", {"doc_id": "/etc/passwd", "question": "Who?"}),
                "link": ("outline", {"doc_id": "gamma"}),
                "beyond": ("picture", {"doc_id": "alpha", "page": 3}),
                "no box": ("picture", {"doc_id": "alpha", "page": 1, "box": [0, 0, 2, 1]}),
                "no node": ("read_node", {"doc_id": "alpha", "node_id": "../x"}),
                "negative": ("list_documents", {"offset": -1}),
            }
            for name, (tool, arguments) in calls.items():
                found[name] = await client.call_tool(tool, arguments)
            return found

    return asyncio.run(asyncio.wait_for(talk(), 120))


def said(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    value: dict[str, Any] = json.loads(result.content[0].text)
    return value


def test_every_tool_only_reads(told: dict[str, Any]) -> None:
    assert {tool.name for tool in told["tools"]} == {
        "list_documents", "outline", "list_figures", "read_pages", "read_node", "read_table", "search", "ask",
        "picture",
    }  # fmt: skip
    assert all(tool.annotations.read_only_hint and tool.description for tool in told["tools"])


def test_documents_and_headings_are_listed_page_by_page(told: dict[str, Any]) -> None:
    assert said(told["documents"])["documents"][0] == {"doc_id": "alpha", "pages": 2}
    after = said(told["after"])
    assert ([each["doc_id"] for each in after["documents"]], after["of"], after["next"]) == (["gamma"], 3, None)
    outline = said(told["outline"])
    assert [each["title"] for each in outline["sections"]] == ["Alpha River Survey", "Methods", "Outlook"]


def test_search_reading_and_asking(told: dict[str, Any]) -> None:
    assert said(told["search"])["results"][0]["page"] == 1
    first, second = said(told["pages"])["pages"]
    assert "The river was 42 metres wide at the old bridge." in first["text"] and "Outlook" in second["text"]
    assert said(told["rest"])["pages"][0]["text"] == first["text"][10:]
    texts = [node["text"] for node in said(told["node"])["nodes"]]
    assert any("42 metres" in text for text in texts)
    answer = said(told["ask"])
    assert "42" in answer["answer"] and answer["support"][0]["page"] == 1 and answer["support"][0]["bbox"]


def test_pictures_are_png_of_the_page_or_a_part(told: dict[str, Any]) -> None:
    sizes = []
    for name in ("page", "part"):
        assert told[name].content[0].mime_type == "image/png"
        sizes.append(Image.open(io.BytesIO(base64.b64decode(told[name].content[0].data))).size)
    (page, part) = sizes
    assert max(page) == max(part) == 1400, "a part is drawn anew, larger than the page shows it"
    assert part[0] / part[1] == pytest.approx(0.5 * 595 / (0.1 * 842), rel=0.02)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("up", "no document '../../../etc/passwd'"),
        ("root", "no document '/etc/passwd'"),
        ("link", "'gamma' is a link out of the dataset"),
        ("beyond", "there is no page 3; pages are 1 to 2"),
        ("no box", "is no box"),
        ("no node", "no node '../x'"),
        ("negative", "greater than or equal to 0"),
    ],
)
def test_what_is_outside_is_refused(told: dict[str, Any], name: str, words: str) -> None:
    assert told[name].is_error
    assert words in told[name].content[0].text


def test_a_project_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--project", "/no/such/folder"]) == 2
    assert capsys.readouterr().err == "cosee: mcp: /no/such/folder: no such folder\n"
