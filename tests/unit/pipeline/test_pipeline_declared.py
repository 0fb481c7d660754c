"""Outputs are found by the end of the path that a storage plugin gives them."""

from pathlib import Path

import pytest

from cosee.pipeline.declared import main


@pytest.mark.parametrize("scratch", ["/scratch/fs", ".snakemake/storage/fs"])
def test_an_output_is_copied_to_where_the_plugin_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: str
) -> None:
    project = tmp_path / "project"
    written = project / "data" / "d" / ".ledger" / "adapt.0000.jsonl"
    written.parent.mkdir(parents=True)
    written.write_text("row\n")
    monkeypatch.chdir(project)
    root = f"{tmp_path}{scratch}" if scratch.startswith("/") else scratch
    assert main([f"{root}/data/d/.ledger/adapt.0000.jsonl"]) == 0
    assert Path(root, "data/d/.ledger/adapt.0000.jsonl").read_text() == "row\n"


def test_a_folder_outside_the_project_keeps_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "large" / "metrics.json"
    written.parent.mkdir()
    written.write_text("{}")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    output = Path(f"{tmp_path}/scratch/fs{written}")
    assert main([str(output)]) == 0
    assert output.read_text() == "{}"


def test_an_output_that_was_not_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([f"{tmp_path}/scratch/fs/data/d/.ledger/adapt.0000.jsonl"]) == 1
    assert "adapt.0000.jsonl" in capsys.readouterr().err
