"""The OpenAI client against ``transformers serve`` with the tiny Qwen3-VL: a server that is not ours."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image
from pydantic import BaseModel

from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Sampling
from cosee.models.entries import ServedEntry
from cosee.models.messages import image_block, question_block
from cosee.models.registry import open_client


class Which(BaseModel):
    """A typed reply."""

    answer: str


SERVE = """\
import sys
from cosee.models.local.transformers_loading import ensure_video_processor, stay_offline
stay_offline()
ensure_video_processor()
from transformers.cli.transformers import main
sys.argv = ["transformers", "serve", sys.argv[1], "--host", "127.0.0.1", "--port", sys.argv[2], "--device", "cpu"]
main()
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    for library in ("openai", "fastapi", "uvicorn"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    folder = build_tiny_qwen3vl(tmp_path_factory.mktemp("served") / "tiny")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder.parent / "server.log").open("wb")
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(folder), str(port)], stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process)
        entry = ServedEntry(kind="openai", model=str(folder), base_url=f"http://127.0.0.1:{port}/v1", retries=1)
        yield open_client("tiny", {"tiny": entry}, environment={})
    finally:
        process.kill()
        process.wait()
        log.close()


def wait_for(url, process):
    for _ in range(240):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            assert process.poll() is None, "the server ended"
            time.sleep(0.5)
    raise AssertionError("the server did not come up within two minutes")


@pytest.mark.timeout(300)
def test_a_picture_and_a_question_are_answered_and_counted(client):
    # contract: D106
    messages = [Message((image_block(PageImage(1, Image.new("RGB", (64, 64), "red"))), question_block("Which?")))]
    reply = client.chat(messages, Sampling(max_new_tokens=6))
    assert reply.usage.images == 1 and reply.usage.tokens_in > 10 and 1 <= reply.usage.tokens_out <= 6
    text_only = client.chat([Message((question_block("Which?"),))], Sampling(max_new_tokens=6))
    assert text_only.usage.tokens_in < reply.usage.tokens_in
    heard: list[str] = []
    streamed = client.chat_typed_streamed(messages, Which, Sampling(max_new_tokens=6), heard.append)
    assert streamed.usage.calls == 1 and heard
