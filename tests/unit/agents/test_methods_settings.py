"""The methods as a configuration names them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from cosee.agents.method import make_strategy
from cosee.artifacts.settings.methods import GenerationSettings
from cosee.cli import app
from cosee.pipeline.config import ConfigError, load_config, read_config
from cosee.registry import METHODS

EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "all_methods.yaml"


def run_of(*methods: object) -> dict[str, object]:
    return {"datasets": ["d"], "runs": {"r": {"datasets": ["d"], "methods": list(methods)}}}


def test_the_example_configuration_has_every_method() -> None:
    # contract: C66
    (run,) = read_config(EXAMPLE).runs.values()
    kinds = {type(method) for method in run.methods}
    assert kinds == {each.settings for each in METHODS.entries(plugins=False)}, (
        "a method belongs into config/all_methods.yaml"
    )
    assert [make_strategy(method).name for method in run.methods] == [method.label for method in run.methods]
    presets = {
        method.label: (len(method.agents), method.max_steps) for method in run.methods if "cosee" in method.label
    }
    assert presets == {
        "cosee_base": (3, 2), "cosee_light": (2, 2), "cosee_expanded": (3, 3), "cosee_parallel": (3, 2),
    }  # fmt: skip


def test_readme_and_help_name_every_method() -> None:
    names = {each.name for each in METHODS.entries(plugins=False)}
    assert len(names) == 15
    root = EXAMPLE.parents[1]
    table = [line.split("|")[1] for line in (root / "README.md").read_text().splitlines() if line.startswith("| `")]
    assert names <= set(re.findall(r"`(\w+)`", " ".join(table)))
    (option,) = (each for each in get_command(app).commands["ask"].params if each.name == "method")
    assert set(re.findall(r"[a-z_]{5,}", option.help.partition(", or ")[2])) == names


def test_names_of_strategies_are_enough_and_settings_of_a_run_reach_its_answers() -> None:
    # contract: C66
    value = run_of("cosee_light", {"strategy": "self_consistency", "samples": 7, "name": "seven"})
    value["runs"]["r"]["extractor"] = True  # type: ignore[index]
    config = load_config(value)
    assert config.answer_settings("r", "cosee_light").method.agents == ["detail_reader", "cross_checker"]
    settings = config.answer_settings("r", "seven")
    assert settings.method.samples == 7 and settings.extractor
    again = type(settings).model_validate(settings.model_dump(mode="json"))
    assert again == settings


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({"strategy": "page_rag", "retrieval": "words"}, "retrieval"),
        ({"strategy": "cosee_huge"}, "cosee_light"),
        ({"strategy": "page_rag", "sampels": 3}, "unknown key 'sampels'"),
        ({"strategy": "cosee", "agent_generation": {"boss": {}}}, "boss"),
        ({"strategy": "self_consistency", "samples": 0}, "must be at least 1"),
        ({"strategy": "cosee", "generation": {"temperature": -1}}, "temperature"),
    ],
)
def test_what_cannot_be_meant_is_refused(method: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_config(run_of(method))


def test_only_given_generation_settings_count() -> None:
    # contract: C44
    assert GenerationSettings(temperature=0.0).given() == {"temperature": 0.0} and GenerationSettings().given() == {}
