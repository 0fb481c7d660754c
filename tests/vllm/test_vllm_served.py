"""``vllm serve`` with our client of the OpenAI protocol: by hand, where vLLM is installed (docs/models.md)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosee.models.local.vllm_client import SCHEMA_DECODING, is_installed

if not is_installed():
    pytest.skip("vLLM is not installed; it has an environment of its own", allow_module_level=True)

import torch
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from test_vllm_engine import SAMPLING, Choice, pages

from cosee.models.entries import ServedEntry
from cosee.models.served.openai_client import OpenAIClient

SECONDS = 400


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address and model id."""
    folder = build_tiny_qwen3vl(tmp_path_factory.mktemp("models") / "tiny", head=64, context=65_536)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(Path(sys.executable).with_name("vllm")), "serve", str(folder), "--host", "127.0.0.1", "--port", port]
    command += ["--dtype", "float32", "--enforce-eager", "--max-model-len", "4096", "--max-num-seqs", "8"]
    command += [
        "--limit-mm-per-prompt",
        '{"image": 2, "video": 0}',
        "--structured-outputs-config",
        json.dumps(SCHEMA_DECODING),
    ]
    environment = {**os.environ, "VLLM_NO_USAGE_STATS": "1"}
    serving = subprocess.Popen(command, env=environment)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and serving.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/health", timeout=2).close()
            break
        except OSError:
            time.sleep(1)
    try:
        yield f"{address}/v1", str(folder)
    finally:
        serving.terminate()
        serving.wait(60)


def test_a_real_server_answers_as_the_engine_in_the_job(server: tuple[str, str]) -> None:
    address, model = server
    parameters = {"seed": "seed" if torch.cuda.is_available() else None}  # vLLM's sampler for CPUs takes none
    client = OpenAIClient(
        ServedEntry(kind="openai", model=model, base_url=address, parameters=parameters, max_context=4096)
    )
    reply = client.chat_typed(pages(2), Choice, SAMPLING)
    assert Choice.model_validate_json(reply.text) and reply.usage.images == 2
    assert client.chat(pages(4), SAMPLING).left_out == {"more pictures than the server takes": ["page 4", "page 3"]}
