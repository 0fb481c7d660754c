"""Settings of a thing of a registry, in a configuration and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from cosee.registry import Registry


class SettingsOf:
    """As an annotation: the settings of one thing of a registry, which a field of them names.

    A bare name stands for the thing with its defaults. Schemas list the settings of ours alone.
    """

    def __init__(self, registry: Registry, key: str) -> None:
        self.registry, self.key = registry, key

    def models(self) -> list[type[BaseModel]]:
        """Every settings model of ours, each once."""
        found = (each.settings for each in self.registry.entries(plugins=False))
        return list(dict.fromkeys(each for each in found if each is not None))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Choose the model by the field ``key``."""
        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, source) else self._chosen(value),
            serialization=core_schema.plain_serializer_function_ser_schema(_dumped, info_arg=True),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """One of the models, or a name alone."""
        # Inside a list a model is defined once and referred to; by itself it would be written out.
        models = {
            model: handler(core_schema.list_schema(model.__pydantic_core_schema__))["items"] for model in self.models()
        }
        mapping = {
            each.name: models[each.settings]["$ref"]
            for each in self.registry.entries(plugins=False)
            if each.settings is not None
        }
        one = {"discriminator": {"mapping": mapping, "propertyName": self.key}, "oneOf": list(models.values())}
        return {"anyOf": [one, {"enum": list(mapping)}]}

    def _chosen(self, value: Any) -> BaseModel:
        value = {self.key: value} if isinstance(value, str) else value
        if not isinstance(value, Mapping) or not isinstance(value.get(self.key), str):
            raise ValueError(f"a {self.registry.kind} is its name, or a mapping with {self.key!r} and its settings")
        model: type[BaseModel] = self.registry.settings(value[self.key])
        return model.model_validate(value)


def _dumped(value: BaseModel, info: core_schema.SerializationInfo) -> dict[str, Any]:
    return value.model_dump(mode=info.mode, exclude_none=info.exclude_none, exclude_unset=info.exclude_unset)
