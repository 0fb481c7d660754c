import re

import pytest

from cosee.models.registry import known_entry, known_models
from cosee.pipeline.config import ConfigError, load_config
from cosee.project.installed import ROOT


def test_defaults_give_one_run_per_dataset():
    # contract: C66
    config = load_config({"datasets": ["a", "b"]})
    assert list(config.runs) == ["a", "b"]
    assert [method.label for method in config.runs["a"].methods] == ["constant", "page_rag", "cosee"]
    assert config.runs["a"].retrieval.weights.model_dump() == {
        "dense": 0.45, "bm25f": 0.35, "tree_prior": 0.10, "intent_bonus": 0.10
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"datasets": ["a"], "idnex": {}}, ["idnex", "did you mean 'index'"]),
        ({"datasets": ["a"], "index": {"embeder": "none"}}, ["index.embeder", "did you mean 'embedder'"]),
        ({"datasets": ["a"], "adapt": {"ocr": "maybe"}}, ["adapt.ocr", "'maybe'"]),
        ({"datasets": []}, ["datasets"]),
        ({}, ["datasets"]),
        ({"datasets": ["../etc"]}, ["'../etc'", "folder name"]),
        ({"datasets": ["a"], "runs": {"r": {"datasets": ["b"]}}}, ["runs.r.datasets", "'b'"]),
        ({"datasets": ["a"], "runs": {"r": {"datasets": ["a"], "methods": ["cosee", "cosee"]}}}, ["runs.r.methods"]),
        ({"datasets": ["a"], "runs": {"r": {"datasets": ["a"], "methods": ["coseee"]}}}, ["runs.r.methods", "coseee"]),
    ],
)
def test_a_wrong_key_or_value_is_named_with_the_nearest_valid_one(value, words):
    with pytest.raises(ConfigError) as error:
        load_config(value)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("preset", "runs"),
    [
        ("laptop", {"a": "embedded", "b": "embedded"}),
        ("served", {"a": "served", "b": "served"}),
        ("gpu", {"a": "qwen3vl", "b": "qwen3vl"}),
        ("paper", {"qwen3vl-4b": "qwen3vl-4b", "qwen3vl-8b": "qwen3vl-8b"}),
    ],
)
def test_a_preset_and_datasets_are_a_whole_configuration(preset, runs):
    config = load_config({"preset": preset, "datasets": ["a", "b"]})
    assert {name: run.model for name, run in config.runs.items()} == runs
    assert {label for run in config.runs.values() for label in run.datasets} == {"a", "b"}
    assert all(len(run.methods) > 2 for run in config.runs.values())
    known = known_models(ROOT / "config" / "models.yaml")
    for _, name in config.named_models():
        known_entry(name, known)


def test_every_preset_has_a_file_and_every_file_is_a_preset():
    files = {path.stem for path in (ROOT / "config" / "presets").glob("*.yaml")}
    assert files == {"laptop", "served", "gpu", "paper"}


def test_what_a_configuration_says_comes_before_its_preset():
    value = {
        "preset": "gpu",
        "datasets": ["a", "b"],
        "enhance": {"figure_limit": 5},
        "index": {"device": "cpu"},
        "runs": {"r": {"methods": ["navigator"]}, "s": {"datasets": ["b"], "model": "embedded"}},
    }
    config = load_config(value)
    assert (config.enhance.figure_model, config.enhance.figure_limit, config.index.device) == ("qwen3vl", 5, "cpu")
    assert [method.label for method in config.runs["r"].methods] == ["navigator"]
    assert (config.runs["r"].model, config.runs["r"].datasets) == ("qwen3vl", ["a", "b"])
    assert (config.runs["s"].model, config.runs["s"].datasets, len(config.runs["s"].methods)) == ("embedded", ["b"], 3)
    assert load_config({**value, "preset": "paper"}).runs.keys() == {"r", "s"}


def test_a_preset_hides_no_fault_of_the_configuration():
    for value, words in (
        ({"preset": "labtop", "datasets": ["a"]}, "did you mean 'laptop'"),
        ({"preset": "gpu"}, "datasets: is missing"),
        ({"preset": "gpu", "datasets": ["a"], "index": None}, "index: must be a mapping"),
        ({"preset": "gpu", "datasets": ["a"], "runs": {"r": None}}, "runs.r: must be a mapping"),
        ({"preset": "gpu", "datasets": ["a"], "runs": {"r": {"modle": "x"}}}, "did you mean 'model'"),
        ({"preset": "gpu", "datasets": ["a"], "runs": ["r"]}, "runs: must be a mapping"),
    ):
        with pytest.raises(ConfigError, match=re.escape(words)):
            load_config(value)


def test_method_settings_reach_the_answer_job():
    config = load_config(
        {
            "datasets": ["a"],
            "runs": {"r": {"datasets": ["a"], "methods": [{"strategy": "cosee", "name": "T3", "max_steps": 3}]}},
        }
    )
    settings = config.answer_settings("r", "T3")
    assert (settings.run, settings.method.strategy, settings.method.max_steps) == ("r", "cosee", 3)


def test_seeds_are_entries_of_their_own():
    methods = [
        {"strategy": "self_consistency", "name": "sc", "seeds": [3, 5]},
        "page_rag",
        {"strategy": "cosee", "seed": 2},
    ]
    config = load_config({"datasets": ["a"], "runs": {"r": {"datasets": ["a"], "methods": methods, "seed": 7}}})
    labels = [method.label for method in config.runs["r"].methods]
    assert labels == ["sc_seed3", "sc_seed5", "page_rag", "cosee_seed2"]
    assert [config.answer_settings("r", label).seed for label in labels] == [3, 5, 7, 2]
    assert {method.family for method in config.runs["r"].methods} == {"sc", "page_rag", "cosee"}
    with pytest.raises(ConfigError, match="two methods have one name"):
        load_config(
            {"datasets": ["a"], "runs": {"r": {"datasets": ["a"], "methods": [{**methods[0], "seeds": [1, 1]}]}}}
        )


def test_a_run_can_keep_no_traces() -> None:
    # contract: C68
    runs = {"r": {"datasets": ["d"], "keep_trace": False}, "other": {"datasets": ["d"]}}
    config = load_config({"datasets": ["d"], "runs": runs})
    assert [config.answer_settings(run, "page_rag").keep_trace for run in runs] == [False, True]


def test_a_judge_is_a_model_of_the_configuration():
    config = load_config({"datasets": ["a"], "evaluate": {"judge": "local"}})
    assert ("evaluate.judge", "local") in config.named_models()
    with pytest.raises(ConfigError, match="evaluate.judge.*cannot judge"):
        load_config({"datasets": ["a"], "evaluate": {"judge": "embedded"}})
