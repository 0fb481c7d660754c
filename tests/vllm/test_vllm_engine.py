"""vLLM's engine in the job, with a tiny random Qwen3-VL: by hand, where vLLM is installed (docs/models.md)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest
from PIL import Image, ImageDraw

from cosee.models.local.vllm_client import is_installed

if not is_installed():
    pytest.skip("vLLM is not installed; it has an environment of its own", allow_module_level=True)

import psutil
import torch
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl

from cosee.artifacts.base import Record
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import ModelError, Sampling
from cosee.models.client import Opening
from cosee.models.clients.vllm import VllmEntry, vllm
from cosee.models.local.vllm_client import VllmClient
from cosee.models.messages import evidence_message, page_text_block, picture_message

DEVICE = "auto" if torch.cuda.is_available() else "cpu"
SAMPLING = Sampling(max_new_tokens=24, temperature=0.5)
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", "nobind")
JOB = """
import sys, time
from cosee.models.messages import picture_message
from test_vllm_engine import opened
if __name__ == "__main__":
    opened(sys.argv[1]).chat([picture_message([], "?")])
    print("answered", flush=True)
    time.sleep(600)
"""


class Choice(Record):
    answer: Literal["yes", "no"]
    page: Literal[1, 2]


def opened(folder: str | Path, **changes: object) -> VllmClient:
    settings = {"max_context": 4096, "concurrency": 8, "pictures": 2, "enforce_eager": True, "dtype": "float32"}
    entry = VllmEntry(kind="vllm", model_path=str(folder), device=DEVICE, **{**settings, **changes})
    client = vllm(entry, Opening("tiny", os.environ))
    assert isinstance(client, VllmClient)
    return client


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_qwen3vl(tmp_path_factory.mktemp("models") / "tiny", head=64, context=65_536)


@pytest.fixture(scope="module")
def client(folder: Path) -> VllmClient:
    return opened(folder)


def picture(number: int, size: tuple[int, int] = (160, 96)) -> Image.Image:
    page = Image.new("RGB", size, "white")
    ImageDraw.Draw(page).rectangle((10 + 9 * number, 20, 60 + 9 * number, 70), fill="navy")
    return page


def pages(count: int, words: int = 5) -> list[Message]:
    shown = [PageImage(page, picture(page)) for page in range(1, count + 1)]
    evidence = [page_text_block(page, None, "word " * words) for page in range(1, count + 1)]
    return [evidence_message("How much?", images=shown, evidence=evidence)]


def test_a_prompt_with_pictures_is_answered_and_counted_as_the_engine_counts_it(client: VllmClient) -> None:
    messages = [picture_message([picture(0), picture(1, (2000, 4))], "What is shown in this figure?")]
    reply = client.chat(messages, SAMPLING)
    assert reply.usage.tokens_in == client.tokenize_prompt_length(messages)
    assert (reply.usage.images, reply.usage.calls) == (2, 1) and 0 < reply.usage.tokens_out <= 24


def test_a_typed_reply_keeps_its_schema(client: VllmClient) -> None:
    for number in range(4):
        reply = client.chat_typed(pages(1), Choice, SAMPLING.model_copy(update={"seed": number}))
        assert Choice.model_validate_json(reply.text) and reply.finish_reason == "stop", reply


def test_calls_of_many_threads_are_under_way_together(client: VllmClient) -> None:
    client.chat(pages(1), SAMPLING)
    most, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.is_set():
            most = max(most, client._engine._engine.get_num_unfinished_requests())
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with ThreadPoolExecutor(8) as threads:
        ask = [[picture_message([picture(number % 9)], f"Question {number}?")] for number in range(24)]
        replies = list(threads.map(lambda each: client.chat(each, SAMPLING), ask))
    ended.set()
    watcher.join()
    assert all(reply.usage.tokens_out for reply in replies) and most >= 6


def test_what_the_engine_refuses_is_asked_again_with_less_in_it(client: VllmClient) -> None:
    reply = client.chat(pages(4), SAMPLING)
    assert reply.left_out == {"more pictures than the server takes": ["page 4", "page 3"]} and reply.usage.images == 2
    reply = client.chat(pages(2, words=500), SAMPLING)
    assert reply.left_out == {"longer than the server takes": ["page 2"]}
    with pytest.raises(ModelError, match="maximum context length is 4096"):
        client.chat([picture_message([], "word " * 9_000)], SAMPLING)


def test_the_engine_ends_with_a_job_that_is_killed(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    script = folder.parent / "job.py"
    script.write_text(JOB)
    job = subprocess.Popen([sys.executable, script, folder], stdout=subprocess.PIPE, text=True, env=environment)
    assert job.stdout is not None and any("answered" in line for line in job.stdout)
    engine = [each for each in psutil.Process(job.pid).children(recursive=True) if "VLLM" in " ".join(each.cmdline())]
    assert engine
    job.kill()
    job.wait()
    _, alive = psutil.wait_procs(engine, timeout=30)
    assert not alive
