"""YAML of users: one clear refusal for whatever is wrong with it, soon and in little memory."""

from __future__ import annotations

import pytest

from cosee.artifacts.files import ArtifactError
from cosee.artifacts.yaml_file import parse_yaml
from cosee.pipeline.config import ConfigError, load_config

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "more than 20000 values"),
        ("a: &a [*a]", "nests deeper than 40 levels|more than 20000 values"),
        ("[" * 100_000, "nests too deeply"),
        ("a: " + "9" * 5000, "not valid YAML"),
        ("a: 2001-99-99", "not valid YAML"),
        ("a: !!python/object:os.system {}", "line 1: not valid YAML"),
        ("a: b\n c: d\n  - e", "line 2: not valid YAML"),
        ("a: \x00", "not valid YAML"),
        ("{a: 1}: {[]: 2}", "line 1: not valid YAML"),
    ],
    ids=["aliases", "itself", "deep", "digits", "date", "object", "indent", "nul", "key"],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArtifactError, match=f"^config.yaml.*({message})"):
        parse_yaml(text.encode(), "config.yaml")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ArtifactError, match=r"config\.yaml"):
        parse_yaml(b"a: \xff\xfe\x00", "config.yaml")


def test_a_configuration_that_snakemake_has_read_is_bounded_as_well() -> None:
    bomb: list[object] = ["x"]
    for _ in range(12):
        bomb = [bomb] * 8
    with pytest.raises(ConfigError, match="more than 20000 values"):
        load_config({"datasets": bomb})
    for runs in ([1], "demo", 7):
        with pytest.raises(ConfigError, match="runs"):
            load_config({"datasets": ["a"], "runs": runs})
