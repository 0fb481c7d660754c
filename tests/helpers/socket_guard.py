"""No test reaches another machine: an audit hook refuses every address that is not on this one.

An audit hook sees what all Python code of the process does with sockets, whatever library it comes from, and cannot be
taken off again. Child processes are not seen: ``tests/offline.py`` runs a whole command without a way out.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any

SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
RESOLVING = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
THIS_MACHINE = {"", "localhost", "0.0.0.0", "::", socket.gethostname()}
attempts: list[str] = []
"""What was refused: code that swallows the exception fails its test by this list."""


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine."""


def is_local(host: object) -> bool:
    """Whether a host, as Python's sockets take it, is this machine; None is."""
    if host is None:
        return True
    text = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    try:
        return text in THIS_MACHINE or ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in SENDING:
        connection, address = arguments[:2]
        if connection.family not in (socket.AF_INET, socket.AF_INET6) or address is None:
            return
        host = address[0]
    elif event in RESOLVING:
        host = arguments[0]
    else:
        return
    if not is_local(host):
        attempts.append(f"{event} {host!r}")
        raise NetworkUsed(f"a test may not reach another machine: {event} {host!r}")


def install() -> None:
    """Refuse other machines from here on, for this process and what it forks."""
    sys.addaudithook(_hook)
