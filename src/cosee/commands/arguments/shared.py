"""The option that most commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[Path, typer.Option("--config", "-c", help="The configuration.", show_default=True)]
DEFAULT_CONFIG = Path("config/config.yaml")
