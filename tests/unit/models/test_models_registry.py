"""Named models: typed entries, the environment, and errors that help and keep secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosee.artifacts.files import ArtifactError
from cosee.models.blocks import Message
from cosee.models.calls import ModelError
from cosee.models.messages import question_block
from cosee.models.registry import load_models, open_client
from cosee.models.scripted import ScriptedClient
from cosee.reader.client import EmbeddedClient


def write(tmp_path, text):
    path = tmp_path / "models.yaml"
    path.write_text(text)
    return path


def test_the_projects_own_file_opens_the_embedded_reader():
    # contract: D106
    models = load_models(Path(__file__).parents[3] / "config" / "models.yaml")
    client = open_client("embedded", models, EmbeddedClient)
    assert isinstance(client, EmbeddedClient)


def test_a_scripted_model_answers_in_the_same_way():
    # contract: P2, P3
    client = open_client("fixed", load_models_of({"fixed": "{kind: scripted, replies: ['a', 'b']}"}))
    assert isinstance(client, ScriptedClient)
    assert [client.chat([Message((question_block("?"),))]).text for _ in range(3)] == ["a", "b", "b"]


def test_the_reader_without_a_model_needs_no_entry():
    models = load_models_of({"fixed": "{kind: scripted, replies: ['a']}"})
    assert sorted(models) == ["embedded", "fixed"]
    assert open_client("embedded", models, EmbeddedClient).name == "embedded"
    with pytest.raises(ModelError, match="'embedded' is the reader without a model"):
        open_client("embedded", models)


def load_models_of(entries):
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        lines = ["models:", *(f"  {name}: {entry}" for name, entry in entries.items())]
        return load_models(write(Path(folder), "\n".join(lines)))


def test_environment_variables_are_filled_in_when_a_model_is_opened():
    models = load_models_of({"fixed": "{kind: scripted, replies: ['${COSEE_REPLY} ${COSEE_NONE:-none}']}"})
    client = open_client("fixed", models, environment={"COSEE_REPLY": "yes"})
    assert client.replies == ["yes none"]
    with pytest.raises(ModelError, match="COSEE_REPLY is not set"):
        open_client("fixed", models, environment={})


def test_an_unknown_name_gets_the_nearest():
    models = load_models_of({"embedded": "{kind: embedded}", "fixed": "{kind: scripted, replies: [a]}"})
    with pytest.raises(ModelError, match=r"no model 'embeded'; did you mean 'embedded'\?"):
        open_client("embeded", models)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{kind: telepathy}", r"models\.x: .*unknown kind"),
        ("{kind: embedded, api_key: sk-secret}", r"models\.x: .*api_key"),
        ("{kind: scripted}", "replies"),
        ("sk-secret", r"models\.x"),
    ],
)
def test_a_faulty_entry_is_named_and_its_values_are_not_shown(entry, message):
    # contract: P29
    with pytest.raises(ArtifactError, match=message) as caught:
        load_models_of({"x": entry})
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["models: [", "models: 3", "- a"])
def test_a_file_that_is_no_mapping_is_refused_in_one_line(tmp_path, text):
    with pytest.raises(ArtifactError) as caught:
        load_models(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_an_entry_says_how_much_room_its_model_thinks_in():
    served = "{kind: openai, model: m, base_url: 'http://127.0.0.1:1/v1', thinking_tokens: 4096}"
    plain = "{kind: openai, model: m, base_url: 'http://127.0.0.1:1/v1'}"
    models = load_models_of({"thinking": served, "plain": plain})
    assert [open_client(name, models).thinking_tokens for name in ("thinking", "plain")] == [4096, 0]
