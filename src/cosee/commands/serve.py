"""``cosee serve`` and ``cosee mcp``: the decision agent behind an HTTP endpoint; documents as an assistant's tools."""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.agents.decision.settings import DecisionMethod
from cosee.artifacts.settings.answer import RunSettings
from cosee.commands.search_service import INDEX_FIRST, Limits, SearchService
from cosee.pipeline.config import Config, ConfigError, read_config
from cosee.pipeline.paths import Paths

if TYPE_CHECKING:
    import uvicorn

    from cosee.models.base import VLMClient
    from cosee.models.entries import Entry

INSTALL = "cosee serve needs FastAPI and uvicorn: pip install 'cosee[serve]'"
INSTALL_MCP = "cosee mcp needs the package mcp: pip install 'cosee[mcp]'"
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]


def serve(
    dataset: str | None, *, config: Path, model: str | None, host: str, port: int, limits: Limits | None = None
) -> int:
    """Serve until interrupted.

    Raises:
        ConfigError: the configuration, the dataset or the model is wrong, or a package is absent.
    """
    service = make_service(read_config(config), dataset, model, limits or Limits())
    make_server(service, host, port).run()
    return 0


def serve_tools(dataset: str | None, *, config: Path, model: str | None, project: Path | None) -> int:
    """Offer a dataset's documents as tools on standard input and output until these are closed.

    Raises:
        ConfigError: the folder, the configuration, the dataset or the model is wrong, or the package is absent.
    """
    if project is not None:
        if not project.is_dir():
            raise ConfigError(f"mcp: {project}: no such folder")
        os.chdir(project)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s", force=True)
    try:
        from cosee.commands.tool_server import make_server as make_tool_server
    except ImportError as error:
        raise ConfigError(f"{INSTALL_MCP} ({error})") from error
    make_tool_server(make_service(read_config(config), dataset, model, Limits())).run("stdio")
    return 0


def make_service(settings: Config, dataset: str | None, model: str | None, limits: Limits) -> SearchService:
    """The service of one dataset, with the first decision method of its runs, and all else of the first run."""
    from cosee.models.entries import LocalEntry, ServedEntry

    if dataset is None and len(settings.datasets) > 1:
        raise ConfigError(f"serve: name one of the datasets {', '.join(settings.datasets)}")
    chosen = dataset or settings.datasets[0]
    if chosen not in settings.datasets:
        raise ConfigError(f"serve: there is no dataset {chosen!r}; there are {', '.join(settings.datasets)}")
    runs = [run for run in settings.runs.values() if chosen in run.datasets]
    run = next(iter(runs), RunSettings(datasets=[chosen]))
    methods = [method for each in runs for method in each.methods if isinstance(method, DecisionMethod)]
    client, entry = _client(model or run.model)
    entries = [entry]
    if run.fallback_model is not None:
        client.fallback, entry = _client(run.fallback_model)
        entries.append(entry)
    # A model in this process answers one question at a time.
    one_at_a_time = any(isinstance(each, LocalEntry) for each in entries)
    service = SearchService(
        paths=Paths(Path(settings.data_dir), Path(settings.indexes_dir), Path(settings.results_dir)),
        dataset=chosen,
        run=run,
        method=next(iter(methods), DecisionMethod()),
        client=client,
        conversations=Path(".cache") / "conversations",
        limits=replace(limits, concurrency=1) if one_at_a_time else limits,
        is_served=any(isinstance(each, ServedEntry) for each in entries),
    )
    if not service.documents():
        raise ConfigError(f"serve: dataset {chosen!r} has no documents yet; {INDEX_FIRST}")
    return service


def make_server(service: SearchService, host: str, port: int) -> uvicorn.Server:
    """A server that is ready to run. Raises ConfigError where its packages are absent."""
    try:
        import uvicorn

        from cosee.commands.search_app import make_app
    except ImportError as error:
        raise ConfigError(f"{INSTALL} ({error})") from error
    app = make_app(service, LOOPBACK_HOSTS if _is_loopback(host) else ["*"])
    waiting = service.limits.waiting + service.limits.concurrency
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="info",
            timeout_keep_alive=5,
            limit_concurrency=4 * waiting,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
    )


def _client(name: str) -> tuple[VLMClient, Entry]:
    """The client of a model, and its entry of config/models.yaml."""
    from cosee.models.registry import MODELS_FILE, known_models
    from cosee.runs.model import open_model

    return open_model(name, MODELS_FILE, _reader), known_models(MODELS_FILE)[name]


def _reader() -> VLMClient:
    from cosee.reader.client import EmbeddedClient

    return EmbeddedClient()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
