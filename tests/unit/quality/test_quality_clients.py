"""The adapter over the models, its provider classes, the settings, and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cosee.artifacts.settings.quality import QualitySettings
from cosee.cli import main
from cosee.models.calls import ModelError
from cosee.models.clients.embedded import EmbeddedEntry
from cosee.models.clients.hf_text import HfTextEntry
from cosee.models.clients.scripted import ScriptedEntry
from cosee.models.entries import Entry, ServedEntry
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.config import ConfigError, load_config
from cosee.quality.vlm_client import (
    AnthropicVLMClient,
    ChatVLMClient,
    GoogleVLMClient,
    MockVLMClient,
    OpenAIVLMClient,
    VLMClient,
    open_vlm_client,
)

PROJECT = Path(__file__).resolve().parents[3]
DOT = Image.new("RGB", (40, 40), "white")


def test_generate_is_one_turn_with_image_and_prompt() -> None:
    # contract: P1
    with pytest.raises(TypeError, match="abstract"):
        VLMClient()  # type: ignore[abstract]
    inner = ScriptedClient(["fine"])
    assert ChatVLMClient(inner).generate("How?", DOT, max_tokens=99, temperature=0.0, top_p=0.1) == "fine"
    (message,) = inner.received[0]
    assert [block.kind for block in message.blocks] == ["image", "instruction"]
    assert message.blocks[1].text == "How?" and message.blocks[0].image is not None
    (sampling,) = inner.samplings
    assert (sampling.max_new_tokens, sampling.temperature, sampling.top_p) == (99, 0.0, 0.1)
    assert sampling.presence_penalty == 0.0
    with pytest.raises(TypeError, match="beam"):
        ChatVLMClient(inner).generate("How?", DOT, beam=4)


@pytest.mark.parametrize(
    ("kind", "provider"), [("openai", OpenAIVLMClient), ("anthropic", AnthropicVLMClient), ("google", GoogleVLMClient)]
)
def test_the_configuration_chooses_the_provider(kind: str, provider: type[ChatVLMClient]) -> None:
    # contract: P2
    models: dict[str, Entry] = {"m": ServedEntry.model_validate({"kind": kind, "model": "x", "api_key_env": "K_KEY"})}
    assert type(open_vlm_client("m", models, {"K_KEY": "secret-value"})) is provider


def test_a_model_without_prompts_or_eyes_is_told_apart() -> None:
    # contract: P2
    models: dict[str, Entry] = {
        "none": EmbeddedEntry(kind="embedded"),
        "told": ScriptedEntry(kind="scripted", replies=["a"]),
        "blind": ServedEntry(kind="openai", model="x", base_url="http://127.0.0.1:9/v1", sees_images=False),
        "text": HfTextEntry(kind="hf_text", model_path="/nowhere"),
    }
    assert open_vlm_client("none", models) is None
    assert open_vlm_client("told", models).__class__ is ChatVLMClient
    with pytest.raises(ModelError, match="does not see images"):
        open_vlm_client("blind", models)
    with pytest.raises(ModelError, match="did you mean 'told'"):
        open_vlm_client("tolt", models)


def test_the_mock_gives_its_replies_in_order() -> None:
    # contract: P3
    mock = MockVLMClient(["a", ModelError("b"), "c"])
    assert isinstance(mock, VLMClient) and mock.generate("1", None) == "a"
    with pytest.raises(ModelError, match="b"):
        mock.generate("2", DOT)
    assert [mock.generate("3", None), mock.generate("4", None, top_p=0.1)] == ["c", "c"]
    assert mock.prompts == ["1", "2", "3", "4"] and mock.arguments[3] == {"top_p": 0.1}


def test_the_settings_have_the_documented_keys_and_defaults() -> None:
    # contract: P25
    assert QualitySettings().model_dump() == {
        "backend": "embedded",
        "temperature": 0.0,
        "max_tokens": 2048,
        "top_p": 0.1,
        "retry_attempts": 3,
        "fallback_backend": None,
    }


def configured(**quality: Any) -> QualitySettings:
    return load_config({"datasets": ["d"], "quality": quality}).quality


def test_environment_variables_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: P25
    monkeypatch.setenv("IQA_MODEL", "qwen3vl")
    monkeypatch.delenv("IQA_TOKENS", raising=False)
    found = configured(backend="${IQA_MODEL}", max_tokens="${IQA_TOKENS:-512}")
    assert (found.backend, found.max_tokens) == ("qwen3vl", 512)
    with pytest.raises(ConfigError, match=r"quality\.backend: the environment variable IQA_TOKENS is not set"):
        configured(backend="${IQA_TOKENS}")


@pytest.mark.parametrize(
    ("key", "value"),
    [("temperature", -1), ("top_p", 0), ("max_tokens", 0), ("retry_attempts", 4), ("backend", ""), ("bakend", "x")],
)
def test_settings_are_checked(key: str, value: Any) -> None:
    # contract: P25
    with pytest.raises(ConfigError, match=rf"quality\.{key}"):
        configured(**{key: value})
    with pytest.raises(ConfigError, match="fallback_backend is 'a'"):
        configured(backend="a", fallback_backend="a")


def test_models_that_the_section_names_have_to_exist() -> None:
    config = load_config({"datasets": ["d"], "quality": {"backend": "a", "fallback_backend": "b"}})
    named = dict(config.named_models())
    assert (named["quality.backend"], named["quality.fallback_backend"]) == ("a", "b")


def cosee(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["quality", *arguments])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_command_answers_without_a_model(
    sharp: Path, blurred: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = cosee([str(sharp), "is the table readable?"], capsys)
    assert status == 0 and out.startswith("Yes: nothing measured hinders reading")
    log = tmp_path / "log.jsonl"
    status, out, _ = cosee(
        [str(blurred), "What is the PSNR?", "--reference", str(sharp), "--json", "--log", str(log)], capsys
    )
    found = json.loads(out)
    assert status == 0 and found["plan"]["required_tool"] == "PSNR"
    assert found["evidence"]["results"][0]["score"] < 4 and found["summary"]["source"] == "rules"
    assert json.loads(log.read_text())["source"] == "rules"


def test_the_command_refuses_in_one_line(
    sharp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # contract: P28
    assert cosee([str(tmp_path / "no.png"), "sharp?"], capsys)[::2] == (
        2,
        f"cosee: '{tmp_path / 'no.png'}': there is no such file\n",
    )
    assert cosee([str(sharp), " "], capsys)[0] == 2
    monkeypatch.chdir(PROJECT)
    assert "no model 'nobody'" in cosee([str(sharp), "sharp?", "--model", "nobody"], capsys)[2]


def test_most_of_the_planner_is_covered(tmp_path: Path) -> None:
    # contract: P34
    planner = PROJECT / "src" / "cosee" / "quality" / "planner.py"
    tests = Path(__file__).parent / "test_quality_planner.py"
    environment = {**os.environ, "COVERAGE_FILE": str(tmp_path / "coverage")}
    command = [sys.executable, "-m", "coverage"]
    ran = subprocess.run(
        [*command, "run", f"--include={planner}", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        capture_output=True, text=True, cwd=PROJECT, env=environment, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    told = subprocess.run(
        [*command, "report", "--format=total", "--precision=1"],
        capture_output=True, text=True, cwd=PROJECT, env=environment, check=True,
    ).stdout  # fmt: skip
    assert float(told) > 80
