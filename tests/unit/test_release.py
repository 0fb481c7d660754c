"""A release needs a tag, a package, a citation and a changelog that agree."""

from pathlib import Path

import pytest
import yaml
from tools.release import main

PROJECT = Path(__file__).resolve().parents[2]


def project(folder: Path, heading: str = "## 0.2.0 (2026-12-01)", cited: str = "0.2.0") -> Path:
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    (folder / "CITATION.cff").write_text(f"title: CoSee\nversion: {cited}\n")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n\n- New.\n\n## 0.1.0 (2026-11-01)\n\n- Old.\n")
    return folder


def test_the_notes_are_the_part_of_the_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["v0.2.0", "--root", str(project(tmp_path))]) == 0
    assert capsys.readouterr().out == "- New.\n"


@pytest.mark.parametrize(
    ("tag", "heading", "cited", "said"),
    [
        ("v0.3.0", "## 0.2.0 (2026-12-01)", "0.2.0", "it would be 'v0.2.0'"),
        ("v0.2.0", "## 0.2.0 (unreleased)", "0.2.0", "no released part"),
        ("v0.2.0", "## 0.2.0 (2026-12-01)", "0.1.0", "CITATION.cff says '0.1.0'"),
    ],
)
def test_what_does_not_agree_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tag: str, heading: str, cited: str, said: str
) -> None:
    assert main([tag, "--root", str(project(tmp_path, heading, cited))]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_what_runs_elsewhere_is_what_runs_here(name: str) -> None:
    jobs = yaml.safe_load((PROJECT / ".github" / "workflows" / name).read_text(encoding="utf-8"))["jobs"]
    assert any(step.get("run") == ".ci/run" for job in jobs.values() for step in job["steps"])


def test_package_and_citation_have_one_version() -> None:
    package = next(line for line in (PROJECT / "pyproject.toml").read_text().splitlines() if line.startswith("version"))
    cited = next(line for line in (PROJECT / "CITATION.cff").read_text().splitlines() if line.startswith("version"))
    assert package.split('"')[1] == cited.split(": ")[1]
