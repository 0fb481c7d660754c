"""Neither the tests nor the pipeline reach another machine."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import socket_guard

OFFLINE = Path(__file__).resolve().parents[1] / "offline.py"
ELSEWHERE = ("192.0.2.1", 9)
"""An address of the block that is set apart for documentation."""


def offline(code: str) -> subprocess.CompletedProcess[str]:
    """A program without a way out; the test is skipped where the system allows none."""
    command = [sys.executable, str(OFFLINE), "--strict", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    return done


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), (b"localhost", True),
        (None, True), ("192.0.2.1", False), ("10.0.0.1", False), ("2001:db8::1", False), ("pypi.org", False),
        ("localhost.evil.org", False), ("::ffff:192.0.2.1", False),
    ],
)  # fmt: skip
def test_only_this_machine_is_local(host: object, local: bool) -> None:
    assert socket_guard.is_local(host) is local


def test_another_machine_is_refused_and_the_attempt_remembered() -> None:
    # The events alone: nothing is sent even where the guard is missing.
    with socket.socket() as connection:
        for event, arguments in (
            ("socket.connect", (connection, ELSEWHERE)),
            ("socket.sendto", (connection, ELSEWHERE)),
            ("socket.getaddrinfo", ("example.invalid", 443, 0, 0, 0)),
            ("socket.gethostbyname", ("example.invalid",)),
        ):
            with pytest.raises(socket_guard.NetworkUsed, match="may not reach another machine"):
                sys.audit(event, *arguments)
    assert len(socket_guard.attempts) == 4
    socket_guard.attempts.clear()


def test_a_library_that_swallows_the_refusal_is_still_found_out() -> None:
    import urllib.request

    with pytest.raises(Exception):  # noqa: B017
        urllib.request.urlopen("http://example.invalid/", timeout=1)
    assert socket_guard.attempts == ["socket.getaddrinfo 'example.invalid'"]
    socket_guard.attempts.clear()


def test_loopback_and_unix_sockets_work(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    left, right = socket.socketpair()
    left.close()
    right.close()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))


def test_a_command_run_offline_has_the_loopback_alone() -> None:
    code = (
        "import os, socket, subprocess\n"
        "assert os.environ['COSEE_OFFLINE'] == '1'\n"
        "assert [name for _, name in socket.if_nameindex()] == ['lo'], socket.if_nameindex()\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    socket.create_connection(server.getsockname()).close()\n"
        "child = subprocess.run(['cat', '/proc/net/route'], capture_output=True, text=True)\n"
        "assert len(child.stdout.splitlines()) <= 1, child.stdout\n"
    )
    done = offline(code)
    assert done.returncode == 0, done.stderr


def test_a_command_run_offline_keeps_its_user_and_exit_status(tmp_path: Path) -> None:
    import os

    done = offline(f"import os, sys; open({str(tmp_path / 'f')!r}, 'w'); sys.exit(os.getuid() == {os.getuid()} and 5)")
    assert done.returncode == 5 and (tmp_path / "f").stat().st_uid == os.getuid()
