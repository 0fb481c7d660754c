"""The generated schemas and reference pages are those of the models."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml
from tools import schemas

from cosee.artifacts.base import Artifact
from cosee.artifacts.datasets.documents import DocumentRow
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.ledger import LedgerRow, Stamp
from cosee.artifacts.model_docs import json_schema, models_of, sections
from cosee.pipeline.config import Config, load_config

PROJECT = Path(__file__).resolve().parents[2]


def checked_in() -> dict[str, dict[str, object]]:
    return {path.name: json.loads(path.read_text()) for path in (PROJECT / "docs" / "schemas").glob("*.json")}


def test_checked_in_files_are_what_the_models_give() -> None:
    # contract: D116
    assert schemas.differing(PROJECT) == [], "run 'make schemas' and commit the result"


def test_a_drifted_a_missing_and_a_left_over_file_are_named(tmp_path: Path) -> None:
    for folder in ("docs", "workflow/schemas"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    (tmp_path / "docs/schemas/doctree.schema.json").write_text("{}")
    (tmp_path / "docs/configuration.md").unlink()
    (tmp_path / "docs/schemas/gone.schema.json").write_text("{}")
    wanted = ["docs/configuration.md", "docs/schemas/doctree.schema.json", "docs/schemas/gone.schema.json"]
    assert schemas.differing(tmp_path) == wanted
    assert schemas.main(["--check", "--root", str(tmp_path)]) == 1
    assert schemas.main(["--root", str(tmp_path)]) == 0
    assert schemas.main(["--check", "--root", str(tmp_path)]) == 0


def test_every_model_of_the_artifacts_is_in_the_reference() -> None:
    told = {model.__name__ for kind in schemas.FILE_KINDS for model in models_of(kind.model)}
    base = {"Record", "NumerousRecord", "Artifact", "SealedArtifact", "Budget"}  # Budget is configuration
    missing = []
    for path in sorted((PROJECT / "src/cosee/artifacts").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name not in told | base:
                names = {ast.unparse(parent) for parent in node.bases}
                if names & (told | base | {"BaseModel"}):
                    missing.append(f"{path.name}: {node.name}")
    assert missing == [], "name these models' files in tools.schemas.FILE_KINDS"


@pytest.mark.parametrize("kind", schemas.FILE_KINDS, ids=lambda kind: kind.name)
def test_schemas_are_valid_and_say_what_every_artifact_is(kind: schemas.FileKind) -> None:
    schema = json_schema(kind.model)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["description"]
    if issubclass(kind.model, Artifact):
        assert schema["properties"]["schema"] == {"const": kind.model.schema_name}


def test_what_is_written_fits_its_schema() -> None:
    row = LedgerRow(doc_id="a", status="failed", reason="needs_password")
    stamp = Stamp(settings="0" * 64, code="1" * 64, row=row)
    jsonschema.validate(stamp.to_json(), checked_in()["stamp.schema.json"])
    jsonschema.validate(row.model_dump(mode="json"), checked_in()["ledger_row.schema.json"])
    question = Question(question_id="q", doc_id="a", question="?", answer=["x", "y"])
    jsonschema.validate(question.model_dump(mode="json"), checked_in()["question.schema.json"])
    document = DocumentRow(doc_id="a", sha256="0", pages=1, shard="0000")
    jsonschema.validate(document.model_dump(mode="json"), checked_in()["document.schema.json"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**stamp.to_json(), "version": 99}, checked_in()["stamp.schema.json"])


def test_the_demo_configuration_fits_the_configuration_schema() -> None:
    schema = json.loads((PROJECT / "workflow/schemas/config.schema.json").read_text())
    value = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    jsonschema.validate(value, schema)
    load_config(value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**value, "shard_page": 3}, schema)


def test_every_configuration_key_has_a_meaning() -> None:
    keys = [key for section in sections(Config) for key in section.keys]
    assert len(keys) > 40
    assert [key.path for key in keys if not key.description] == []
