"""A machine as a test wants it: with and without tesseract, RapidOCR and the weights of the embedder."""

import os
import shutil
from pathlib import Path

PROGRAMS = ("bash", "sh", "env", "uname", "cat", "ls", "rm", "mkdir", "sed", "grep", "gcc", "which", "python3")
"""What a bare machine has; ``which`` is what Snakemake's plugin for SLURM calls, where that is installed."""


class Machine:
    """What is installed on it is changed by its attributes; ``environment`` is that of a process on it."""

    def __init__(self, folder: Path, *, tesseract: bool, weights: Path | None = None) -> None:
        self.folder = folder
        self.tesseract = tesseract
        self.rapidocr = False
        self.cache = folder / "cache"
        for name in ("with", "without", "hidden"):
            (folder / name).mkdir(parents=True)
        for program in PROGRAMS:
            found = shutil.which(program)
            if found is not None:
                for place in ("with", "without"):
                    (folder / place / program).symlink_to(found)
        engine = shutil.which("tesseract")
        if engine is not None:
            (folder / "with" / "tesseract").symlink_to(engine)
        # Of use where RapidOCR is installed and shall not be.
        (folder / "hidden" / "sitecustomize.py").write_text("import sys\nsys.modules['rapidocr'] = None\n")
        if weights is not None:
            self.install(weights)

    def install(self, weights: Path) -> None:
        """Put a model's folder into the cache of weights."""
        target = self.cache / "models" / weights.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(weights.resolve())

    def environment(self, source: Path) -> dict[str, str]:
        """Of a process that runs the code in ``source``."""
        path = self.folder / ("with" if self.tesseract else "without")
        return {
            **{name: value for name, value in os.environ.items() if name != "COSEE_CACHE"},
            "PATH": str(path),
            "PYTHONPATH": os.pathsep.join([*([] if self.rapidocr else [str(self.folder / "hidden")]), str(source)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "COSEE_CACHE": str(self.cache),
            "XDG_CACHE_HOME": str(self.folder / "xdg"),
        }


def write_scan(path: Path, lines: list[str]) -> None:
    """A page that is a picture of typewritten lines."""
    import pymupdf

    typed = pymupdf.open()
    page = typed.new_page(width=595, height=842)
    for number, line in enumerate(lines):
        page.insert_text((72, 100 + 40 * number), line, fontsize=18)
    picture = page.get_pixmap(dpi=150).tobytes("png")
    scan = pymupdf.open()
    scan.new_page(width=595, height=842).insert_image((0, 0, 595, 842), stream=picture)
    path.parent.mkdir(parents=True, exist_ok=True)
    scan.save(path, no_new_id=True)
