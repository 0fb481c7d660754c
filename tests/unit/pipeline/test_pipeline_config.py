import pytest

from cosee.pipeline.config import ConfigError, load_config


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
