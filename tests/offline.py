"""Run a command, and all that it starts, in a network namespace that holds the loopback interface alone.

``python tests/offline.py COMMAND ...``. Where the system allows no new namespace, the command runs with the network as
it is, and a line says so; ``--strict`` refuses instead. The command sees ``COSEE_OFFLINE=1`` where it has no way out.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

NEW_USER, NEW_NET = 0x10000000, 0x40000000
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1
"""ioctl requests of Linux for the flags of a network interface."""


def leave_the_network() -> None:
    """Move this process, which must have one thread, into a namespace of its own. Raises OSError."""
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NET) != 0:
        if libc.unshare(NEW_USER | NEW_NET) != 0:
            raise OSError(ctypes.get_errno(), f"unshare: {os.strerror(ctypes.get_errno())}")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", flags | UP))


def main(arguments: list[str]) -> int:
    """Run the command in this process's place; returns only where it was refused."""
    strict = arguments[:1] == ["--strict"]
    command = arguments[1:] if strict else arguments
    try:
        leave_the_network()
        os.environ["COSEE_OFFLINE"] = "1"
    except (OSError, AttributeError) as error:
        sys.stderr.write(f"offline: no network namespace can be made here ({error})\n")
        if strict:
            return 77
    os.execvp(command[0], command)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
