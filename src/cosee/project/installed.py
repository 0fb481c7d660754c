"""Where the workflow, the profiles, the configurations and the demo lie: beside this file in an installed CoSee, at the
root of the repository in a checkout.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
ROOT = _HERE if (_HERE / "workflow").is_dir() else _HERE.parents[2]
"""Holds ``workflow/``, ``profiles/``, ``config/`` and ``data/demo/``."""
SNAKEFILE = str(ROOT / "workflow" / "Snakefile")
"""For ``include: SNAKEFILE``, or ``snakefile: SNAKEFILE`` of a ``module`` statement."""
BEGINNING = _HERE / "Snakefile"
"""The Snakefile of a new project."""
