"""A run's budget: what it leaves open has rows and status 3, and raising it makes the missing calls alone."""

import json

from helpers.counting_server import counting_server
from helpers.project import CONFIG, Project

METHODS = ["constant", "page_rag", "chunk_rag"]


def configured(**run_budget: float) -> dict:
    run = {"datasets": ["tiny"], "methods": METHODS, "model": "counted", "run_budget": run_budget}
    return {**CONFIG, "runs": {"tiny": run}}


def rows(project: Project) -> dict[tuple[str, str], dict]:
    found = {}
    for path in (project.results / "tiny" / "predictions").glob("*.jsonl"):
        for line in path.read_text().splitlines():
            found[path.stem, json.loads(line)["doc_id"]] = json.loads(line)
    return found


def test_what_a_budget_leaves_open_has_rows_and_is_made_up_for_when_it_is_raised(tmp_path):
    # Three documents with a question each, two of them in the first shard: four calls are one a job.
    project = Project.create(tmp_path / "project", configured(calls=4))
    with counting_server() as server:
        entry = {"kind": "openai", "model": "tiny-vision", "base_url": f"{server.server.url}/v1", "sees_images": False}
        models = project.folder / "config" / "models.yaml"
        models.write_text(json.dumps({"models": {"counted": entry}}))
        first = project.snakemake()
        assert first.returncode == 3, first.stdout + first.stderr + project.logs()
        assert "run 'tiny': run_budget left 2 answers open" in first.stderr
        assert server.calls == 4
        made = rows(project)
        left = {key for key, row in made.items() if row["reason"] == "run_budget"}
        assert left == {("page_rag", "beta"), ("chunk_rag", "beta")} and len(made) == 9
        assert all(made[key]["status"] == "failed" for key in left)
        assert project.snakemake().returncode == 0, "nothing to be done, whatever is open"
        assert server.calls == 4
        project.configure(configured(calls=6))
        second = project.snakemake()
        assert second.returncode == 0, second.stdout + second.stderr + project.logs()
        assert server.calls == 6, "the four calls were not made again"
        assert {row["status"] for row in rows(project).values()} == {"ok"}
        assert project.planned() == set()


def test_a_budget_in_money_needs_a_price(tmp_path):
    project = Project.create(tmp_path / "project", configured(money=1.0))
    entry = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    models = project.folder / "config" / "models.yaml"
    models.write_text(json.dumps({"models": {"counted": entry}}))
    refused = project.snakemake("-n")
    assert refused.returncode == 2
    assert "runs.tiny.run_budget.money: 'counted' has no 'price' in config/models.yaml" in refused.stderr
    models.write_text(json.dumps({"models": {"counted": {**entry, "price": {"tokens_in": 1.0}}}}))
    assert project.snakemake("-n").returncode == 0
