"""What can be added by name, a registry for each kind: methods, tools, measures, scorers and importers.

All that is known of a thing stands in its own file, in the decorator above it: ``@method("page_rag", ...)``. A file in
the kind's folder is found by itself. Its names are read from its text and it is imported when one of them is asked for,
so that listing names loads nothing. A project's plugins register in the same way; see ``cosee.plugins``.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

SOURCE_ROOT = Path(__file__).resolve().parents[1]
Thing = TypeVar("Thing")


class RegistryError(ValueError):
    """A name that is not known, or that two things have; the message says what to do."""


@dataclass(frozen=True)
class Entry:
    """A thing under its name."""

    kind: str
    name: str
    thing: Any
    description: str
    version: str = "1"
    citation: str = ""
    settings: type[BaseModel] | None = None
    order: int = 1000
    """Place among those of its kind; equals stand by name."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What only its kind has, such as the calls of a method."""
    plugin: str | None = None
    """The plugin that brought it; None for one of ours."""

    @property
    def path(self) -> Path:
        """The file that it stands in."""
        return Path(str(sys.modules[self.thing.__module__].__file__))

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}:{inspect.getsourcelines(self.thing)[1]}"


class Registry:
    """The things of one kind: those of a package's files, and those that plugins bring."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind, self.package = kind, package
        self.plugin: str | None = None
        """The plugin that is being loaded."""
        self._entries: dict[str, Entry] = {}

    def register(
        self,
        name: str,
        *,
        description: str,
        version: str = "1",
        citation: str = "",
        settings: type[BaseModel] | None = None,
        order: int = 1000,
        about: Mapping[str, Any] | None = None,
    ) -> Callable[[Thing], Thing]:
        """Register what is decorated. Raises RegistryError where the name is taken, naming both places."""

        def keep(thing: Thing) -> Thing:
            # A plugin may import files of ours, which then register in its turn.
            plugin = None if thing.__module__.partition(".")[0] == "cosee" else self.plugin
            made = Entry(self.kind, name, thing, description, version, citation, settings, order, about or {}, plugin)
            if plugin is not None and name not in self._entries and name in self._modules:
                self.get(name)
            if (other := self._entries.get(name)) is not None:
                raise RegistryError(f"{made.where}: {self.kind} {name!r} is there already, from {other.where}")
            self._entries[name] = made
            return thing

        return keep

    def names(self) -> list[str]:
        """Every name, sorted."""
        return sorted(self._modules.keys() | self._entries.keys())

    def get(self, name: str) -> Entry:
        """The thing of this name. Raises RegistryError that gives the nearest name and lists all."""
        if name not in self._entries and name in self._modules:
            # A name from a file of our own package, never from a document, a model or a configuration.
            importlib.import_module(self._modules[name])
        if name not in self._entries:
            near = difflib.get_close_matches(name, self.names(), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ";"
            raise RegistryError(f"there is no {self.kind} {name!r}{hint} There are: {', '.join(self.names())}")
        return self._entries[name]

    def settings(self, name: str) -> type[Any]:
        """The settings model of the thing of this name. Raises RegistryError as ``get`` does."""
        model = self.get(name).settings
        if model is None:
            raise RegistryError(f"{self.kind} {name!r} has no settings")
        return model

    def entries(self, *, plugins: bool = True) -> list[Entry]:
        """Everything in order, with what plugins bring or without."""
        found = [self.get(name) for name in self.names()]
        kept = (each for each in found if plugins or each.plugin is None)
        return sorted(kept, key=lambda each: (each.order, each.name))

    def loaded(self) -> list[Entry]:
        """What was asked for so far, and what plugins bring."""
        return list(self._entries.values())

    def sources(self, name: str | None = None) -> list[str | Path]:
        """Where things stand, all or one: the module of one of ours, the file of a plugin's."""
        names = self.names() if name is None else [name]
        found = {each: self._modules.get(each) or self.get(each).path for each in names}
        return list(dict.fromkeys(found.values()))

    def plugins(self, name: str | None = None) -> list[str]:
        """Plugins that brought things, or the one thing."""
        brought = (each for each in self._entries.values() if name in (None, each.name))
        return sorted({each.plugin for each in brought if each.plugin is not None})

    def forget(self, plugin: str) -> None:
        """Drop what a plugin brought."""
        self._entries = {name: entry for name, entry in self._entries.items() if entry.plugin != plugin}

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Name -> module, from the text of the package's files."""
        decorator = re.compile(rf'^@{self.kind}\(\s*"([^"]+)"', re.MULTILINE)
        folder = SOURCE_ROOT.joinpath(*self.package.split("."))
        return {
            name: ".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts)
            for path in sorted(folder.glob("*.py"))
            for name in decorator.findall(path.read_text(encoding="utf-8"))
        }


CLIENTS = Registry("client", "cosee.models.clients")
METHODS = Registry("method", "cosee.agents.methods")
TOOLS = Registry("tool", "cosee.agents.decision.tools")
MEASURES = Registry("measure", "cosee.evaluation.measures")
SCORERS = Registry("scorer", "cosee.evaluation.scorers")
IMPORTERS = Registry("importer", "cosee.datasets.importers")
KINDS = (METHODS, TOOLS, MEASURES, SCORERS, IMPORTERS)
