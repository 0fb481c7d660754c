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
