"""A project's own Python files and installed packages that add methods, tools, measures, scorers or importers.

A file is named in the configuration, ``plugins: [methods.py]``; a package has an entry point of the group
``cosee.plugins`` that names a module. Both are code of the user's and run as such. A plugin is known by its file's path
or by ``<entry point>==<version>``; that and the digest of its file decide which outputs are stale.
"""

from __future__ import annotations

import importlib.util
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.registry import KINDS

GROUP = "cosee.plugins"


class PluginError(ArtifactError):
    """A plugin that cannot be used; the message is one line with its file and line."""


@dataclass(frozen=True)
class Loaded:
    """A plugin in use."""

    path: Path
    sha256: str


_loaded: dict[str, Loaded] = {}


def use(names: Sequence[str]) -> None:
    """Have these plugins in use and no others. One whose file has not changed is not run again.

    Raises:
        PluginError: there is no such plugin, or it fails.
    """
    for name in [name for name in _loaded if name not in names]:
        _forget(name)
    for name in names:
        kept = _loaded.get(name)
        if kept is not None and kept.path.is_file() and files.sha256_file(kept.path) == kept.sha256:
            continue
        _forget(name)
        if "==" in name:
            _load(name, lambda name=name: _import_installed(name))  # type: ignore[misc]
        else:
            path = _file(name)
            _load(name, lambda path=path, name=name: _run(path, name))  # type: ignore[misc]


def installed() -> list[str]:
    """Names of the plugins that installed packages bring."""
    return sorted(_name(point) for point in entry_points(group=GROUP))


def in_use() -> dict[str, Loaded]:
    """The plugins in use, by name."""
    return dict(_loaded)


def _load(name: str, run: Callable[[], ModuleType]) -> None:
    linecache.checkcache()
    for registry in KINDS:
        registry.plugin = name
    try:
        path = Path(str(run().__file__))
        _loaded[name] = Loaded(path, files.sha256_file(path))
    except PluginError:
        raise
    except (Exception, SystemExit) as error:  # whatever a user's file does while it is read is a fault to tell of
        _forget(name)
        raise PluginError(_told(name, error)) from error
    finally:
        for registry in KINDS:
            registry.plugin = None


def _file(name: str) -> Path:
    """The file of a plugin: a regular one inside the project."""
    root = Path.cwd().resolve()
    path = (root / name).resolve()
    if path.suffix != ".py" or not path.is_relative_to(root):
        raise PluginError(f"plugins: {name!r} is no Python file inside the project ({root})")
    if not path.is_file():
        raise PluginError(f"plugins: there is no file {name!r} in {root}")
    return path


def _run(path: Path, name: str) -> ModuleType:
    """Run a file as a module of its own. No bytecode is kept: an edit within a second would go unseen."""
    spec = importlib.util.spec_from_file_location(_module_name(name), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def _import_installed(name: str) -> ModuleType:
    for point in entry_points(group=GROUP):
        if _name(point) == name:
            sys.modules.pop(point.module, None)
            module = point.load()
            if not isinstance(module, ModuleType):
                raise PluginError(f"plugins: the entry point {point.name!r} names {point.value!r}, which is no module")
            return module
    raise PluginError(
        f"plugins: no installed package brings {name!r}; installed are {', '.join(installed()) or 'none'}"
    )


def _name(point: EntryPoint) -> str:
    return f"{point.name}=={point.dist.version if point.dist is not None else '0'}"


def _module_name(name: str) -> str:
    return f"cosee_plugin_{re.sub(r'[^0-9A-Za-z]', '_', name)}"


def _forget(name: str) -> None:
    _loaded.pop(name, None)
    sys.modules.pop(_module_name(name), None)
    for registry in KINDS:
        registry.forget(name)


def _told(name: str, error: BaseException) -> str:
    """The fault in a line, at the last line of the plugin's that was run."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        where = f"{error.filename}:{error.lineno}"
    else:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
        outside = [frame for frame in own if not frame.filename.startswith(("<", str(Path(__file__).parent)))]
        where = f"{outside[-1].filename}:{outside[-1].lineno}" if outside else name
    message = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    with suppress(ValueError):
        where = Path(where).relative_to(Path.cwd().resolve()).as_posix()
    return f"plugin {name}: {where}: {type(error).__name__}: {message}"
