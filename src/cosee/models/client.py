"""How a client is added: its entry in ``config/models.yaml`` and a function that opens it, in one file of
``models/clients``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from cosee.models.base import VLMClient
from cosee.models.entries import Entry
from cosee.registry import CLIENTS

Opener = TypeVar("Opener", bound=Callable[[Any, "Opening"], VLMClient])


@dataclass(frozen=True)
class Opening:
    """What a client may need beside its entry."""

    name: str
    """The model's name in ``config/models.yaml``, for messages."""
    environment: Mapping[str, str]
    """Variables that hold keys."""
    without_model: Callable[[], VLMClient] | None = None
    """Makes the reader without a model, where it can do the work."""


def client(name: str, *, entry: type[Entry], description: str) -> Callable[[Opener], Opener]:
    """Register a function from an ``entry`` and an ``Opening`` to a ``VLMClient`` as the kind ``name``.

    Keep imports of its library inside the function: the file is read with the configuration.
    """
    return CLIENTS.register(name, description=description, settings=entry)
