"""What every artifact model shares: strict fields, a schema name and version, load and save."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from cosee.artifacts import files
from cosee.artifacts.faults import faults
from cosee.artifacts.files import ArtifactError

BBox = tuple[float, float, float, float]
"""``(x0, y0, x1, y1)``, origin top left; in 0..1 of the page as seen unless a name says otherwise."""


REDO = "; redo the stage that made it"

Model = TypeVar("Model", bound=BaseModel)


def is_none(value: object) -> bool:
    """For ``exclude_if`` of a field that most records lack: left out of the file where there is none."""
    return value is None


class Record(BaseModel):
    """A strict model: unknown fields are errors, and floats are finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, validate_assignment=False)


class NumerousRecord(Record):
    """A record with many fields of which a document has thousands.

    It does not keep which of its fields were given, as pydantic models do: that takes as much memory as their values.
    ``exclude_unset`` has no meaning for it.
    """

    def model_post_init(self, context: Any, /) -> None:
        """Forget which fields were given."""
        self.__pydantic_fields_set__.clear()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with the values of ``update``, which are not checked."""
        copied = super().model_copy(update=update, deep=deep)
        copied.model_post_init(None)
        return copied


class Artifact(Record):
    """A JSON file with a ``schema`` name and ``version``; a newer version than ours is refused."""

    schema_name: ClassVar[str]
    schema_version: ClassVar[int] = 1

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and check the file; raises ArtifactError that names the file and the first faulty fields."""
        return cls.parse(files.read_bytes(path), str(path))

    @classmethod
    def parse(cls, data: bytes, path: str) -> Self:
        """The artifact of a file's bytes; ``path`` is for the message of the ArtifactError."""
        value = files.parse_json(data, path)
        if not isinstance(value, dict):
            raise ArtifactError(f"{path}: expected a JSON object, found {type(value).__name__}")
        header = {key: value.pop(key, None) for key in ("schema", "version")}
        if header["schema"] != cls.schema_name:
            raise ArtifactError(f"{path}: expected schema {cls.schema_name!r}, found {header['schema']!r}")
        if header["version"] != cls.schema_version:
            raise ArtifactError(
                f"{path}: {cls.schema_name} version {header['version']!r} is not version {cls.schema_version} "
                f"that this program writes{REDO}"
            )
        for name, field in cls.model_fields.items():
            if isinstance(value.get(name), list):
                _take_each(value[name], field.annotation)
        return validate(cls, value, path)

    def save(self, path: Path) -> None:
        """Write the file atomically, as canonical JSON; lists of records one record at a time."""
        lists = {name: value for name, value in self if isinstance(value, list) and _are_records(value)}
        header = {"schema": self.schema_name, "version": self.schema_version}
        streamed = {name: (record.model_dump() for record in records) for name, records in lists.items()}
        files.write_json(path, {**header, **self.model_dump(mode="json", exclude=set(lists)), **streamed})

    def to_json(self) -> dict[str, Any]:
        """The file's content, with its schema header."""
        return {"schema": self.schema_name, "version": self.schema_version, **self.model_dump(mode="json")}


class SealedArtifact(Artifact):
    """An artifact that any edit of its file breaks: ``seal`` is the sha256 of the file's bytes with an empty seal."""

    seal: str = ""

    def save(self, path: Path) -> None:
        """Write the file atomically, with its seal."""
        text = files.document_json({**self.to_json(), "seal": ""})
        seal = files.sha256_bytes(text.encode("utf-8"))
        files.write_text(path, text.replace(_seal_line(""), _seal_line(seal)))

    @classmethod
    def parse(cls, data: bytes, path: str) -> Self:
        """The artifact of a file's bytes, its seal checked; ``path`` is for the message of the ArtifactError."""
        try:
            artifact = super().parse(data, path)
        except ArtifactError as error:
            raise ArtifactError(f"{str(error).removesuffix(REDO)}{REDO}") from error
        unsealed = data.replace(_seal_line(artifact.seal).encode("utf-8", "replace"), _seal_line("").encode("utf-8"))
        if files.sha256_bytes(unsealed) != artifact.seal:
            raise ArtifactError(f"{path}: changed since it was written (its seal does not fit){REDO}")
        return artifact


def _seal_line(seal: str) -> str:
    return f'\n "seal": "{seal}"'


def _take_each(values: list[Any], kind: Any) -> None:
    """Put records in place of the ``values`` of a list of records, one at a time: a long file is not held twice.

    A faulty value stays and ends it; to say what is wrong with it is up to who checks the whole.
    """
    model = next(iter(get_args(kind)), None)
    if not (isinstance(model, type) and issubclass(model, Record)):
        return
    for number, value in enumerate(values):
        try:
            values[number] = model.model_validate(value)
        except ValidationError:
            return


def _are_records(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, Record) for value in values)


def validate(model: type[Model], value: Any, where: str) -> Model:
    """``model.model_validate`` whose error is one ArtifactError line that says where and what."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ArtifactError(f"{where}: {'; '.join(faults(error))}") from error


def load_rows(model: type[Model], path: Path) -> list[Model]:
    """Read a JSONL file of ``model`` rows; raises ArtifactError with file and line."""
    return parse_rows(model, files.read_bytes(path), str(path))


def parse_rows(model: type[Model], data: bytes, where: str) -> list[Model]:
    """The ``model`` rows of JSONL bytes; raises ArtifactError with ``where`` and the line."""
    try:
        return [model.model_validate(value) for value in files.parse_jsonl(data)]
    except (ValueError, ArtifactError):
        # The quick way says that something is wrong, this one in which line.
        return [validate(model, value, f"{where}, line {line}") for line, value in files.numbered_jsonl(data, where)]


def save_rows(path: Path, rows: Iterable[BaseModel]) -> None:
    """Write ``rows`` (models) as JSONL, atomically."""
    files.write_jsonl(path, (row.model_dump(mode="json") for row in rows))
