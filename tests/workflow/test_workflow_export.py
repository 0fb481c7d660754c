"""The rules of exports: what is asked for is made, by file or all of it, and not made again."""

import json


def exported(project, target: str) -> str:
    result = project.snakemake(target=target)
    assert result.returncode == 0, result.stdout + result.stderr + project.logs()
    return result.stdout + result.stderr


def test_one_form_by_its_file_then_every_form_then_nothing(project):
    exports = project.results / "tiny" / "exports"
    exported(project, "results/tiny/exports/markdown.jsonl")
    assert sorted(path.name for path in exports.glob("*.jsonl")) == ["markdown.jsonl"]
    assert (exports / "tiny" / "alpha" / "alpha.md").is_file()
    exported(project, "exports")
    for kind in ("pdf", "tables", "markdown", "html"):
        rows = [json.loads(line) for line in (exports / f"{kind}.jsonl").read_text().splitlines()]
        assert [(row["doc_id"], row["status"]) for row in rows] == [(doc, "ok") for doc in ("alpha", "beta", "gamma")]
    assert (exports / "tiny" / "alpha" / "alpha.evidence.pdf").is_file()
    assert "Nothing to be done" in exported(project, "exports")
