"""The hand-written pages: every link leads somewhere, and every command in them exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from cosee.cli import app
from cosee.models.registry import load_models
from cosee.pipeline.config import load_config

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").glob("*.md"))]
GENERATED = {"artifacts.md", "configuration.md"}


def blocks(page: Path, language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(program: str) -> list[tuple[str, list[str]]]:
    """(page, words after the program) of each line of a code block, and of each code span, that calls it."""
    found = []
    for page in PAGES:
        lines = [line.strip() for block in blocks(page) for line in block.splitlines()]
        spans = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")) if page.name not in GENERATED else []
        for line in [*lines, *spans]:
            if line.startswith(program + " ") and "FILE" not in line and "NAME" not in line:
                found.append((page.name, shlex.split(line, comments=True)[1:]))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{page.name} links to {target}"


def test_every_cosee_command_parses() -> None:
    group = typer.main.get_command(app)
    lines = commands("cosee")
    assert len(lines) >= 12
    for _, words in lines:
        with group.make_context("cosee", list(words)) as context:
            name, command, rest = group.resolve_command(context, list(words))  # type: ignore[attr-defined]
        if len(words) > 1:
            command.make_context(name, rest)


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    used = {words[0] for _, words in commands("make")}
    assert used
    assert used <= targets


def test_every_configuration_example_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [yaml.safe_load(block) for page in PAGES for block in blocks(page, "yaml")]
    configurations = [example for example in examples if "models" not in example]
    entries = [example for example in examples if "models" in example]
    assert configurations and entries
    monkeypatch.chdir(tmp_path)
    files = re.findall(
        r"^`(\w+\.py)`: .*?^```python\n(.*?)^```$", (PROJECT / "docs/plugins.md").read_text(), re.M | re.S
    )
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    for example in configurations:
        load_config({"datasets": ["reports"], **example})
    load_config({"datasets": ["reports"]})
    for example in entries:
        (tmp_path / "models.yaml").write_text(yaml.safe_dump(example), encoding="utf-8")
        assert load_models(tmp_path / "models.yaml")


def test_every_snakemake_target_is_a_rule() -> None:
    rules = set(
        re.findall(r"^rule (\w+):", "".join(p.read_text() for p in (PROJECT / "workflow").rglob("*.smk")), re.M)
    )
    named = {
        words[place + 1]
        for _, words in commands("snakemake")
        for place, word in enumerate(words)
        if word in ("-R", "--until") and words[place + 1].islower()
    }
    assert {"answer", "index"} <= named <= rules
