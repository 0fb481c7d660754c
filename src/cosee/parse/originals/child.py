"""A converter's process: bounds on time, memory and output, no network where the system can take it away."""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cosee.parse.originals.thresholds import CPU_SHARE, MEMORY, OUTPUT, SAID

SECONDS = 120
"""Seconds that a converter may take."""
DEAD_END = "http://127.0.0.1:9"
"""A proxy that answers nobody: for converters that ask one, where no namespace can be had."""


class TooLong(Exception):
    """The process was ended at its bound."""


def run_limited(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Run ``command`` in ``folder`` and give the end of what it said, whatever its exit status.

    Its processes end with it, and with ours: they are in our process group.

    Raises:
        TooLong: it took more than ``SECONDS``.
    """
    alone = _namespaces()
    process = subprocess.Popen(
        [*alone, *command],
        cwd=folder,
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", **_proxies(), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=_bound,
        process_group=None if alone else 0,
    )
    try:
        said, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise TooLong(f"stopped after {SECONDS} s") from error
    finally:
        _end(process, grouped=not alone)
    return said[-SAID:].decode("utf-8", "replace").strip()


def is_alone() -> bool:
    """Whether a converter gets a network of its own, with nobody in it."""
    return bool(_namespaces())


def _end(process: subprocess.Popen[bytes], *, grouped: bool) -> None:
    """End what is left: in a namespace everything dies with its first process, else the group is ended."""
    if grouped:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _bound() -> None:
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_CPU, CPU_SHARE * SECONDS),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _proxies() -> dict[str, str]:
    return {name: DEAD_END for name in ("http_proxy", "https_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY")}


@functools.cache
def _namespaces() -> tuple[str, ...]:
    """The words before a command that give it a network with nobody in it; none where the system does not let us."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    words = (unshare, "--net", "--pid", "--fork", "--kill-child=SIGKILL")
    for tried in (words, (*words, "--map-root-user")):
        if subprocess.run([*tried, "true"], capture_output=True, check=False).returncode == 0:
            return tried
    return ()
