"""What a person sees in a terminal of its own: bars while it runs, and one or two Ctrl-C."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

import pytest
from helpers.project import Project

ADAPTED = "data/tiny/.ledger/adapt.0000.jsonl"
SLOW_STAGE = "import time\nprint('asleep', flush=True)\ntime.sleep(300)\n"
DEAF_STAGE = "import signal\nfor each in (signal.SIGINT, signal.SIGTERM):\n    signal.signal(each, signal.SIG_IGN)\n"


class Terminal:
    """A command that has a terminal of its own."""

    def __init__(self, project: Project, *options: str, wide: int = 120) -> None:
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *options]
        self.seen = b""
        self.pid, self._end = pty.fork()
        if not self.pid:
            os.chdir(project.folder)
            os.execve(command[0], command, {**project.environment(), "TERM": "xterm-256color"})
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, wide, 0, 0))

    def read(self, seconds: float) -> bool:
        """Take what comes within some seconds; False at the end."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._end], [], [], left)[0]:
                try:
                    piece = os.read(self._end, 65536)
                except OSError:
                    return False
                if not piece:
                    return False
                self.seen += piece
        return True

    def until(self, sign: Path, seconds: float = 60) -> None:
        """Read until a log says that the job sleeps."""
        deadline = time.monotonic() + seconds
        while not (sign.exists() and "asleep" in sign.read_text()):
            assert time.monotonic() < deadline and self.read(0.1), self.text

    def press_ctrl_c(self) -> None:
        os.write(self._end, b"\x03")

    def wait(self, seconds: float) -> int:
        """Read to the end; the exit status."""
        deadline = time.monotonic() + seconds
        while self.read(0.2):
            assert time.monotonic() < deadline, self.text
        _, status = os.waitpid(self.pid, 0)
        os.close(self._end)
        return os.waitstatus_to_exitcode(status)

    @property
    def text(self) -> str:
        """What was printed, without control sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen.decode("utf-8", errors="replace")).replace("\r", "")


@pytest.fixture
def slow(tmp_path) -> Project:
    """A project whose first job sleeps."""
    project = Project.create(tmp_path / "project")
    project.source = (project.folder / "src/cosee/stages/adapt.py").read_text()
    (project.folder / "src/cosee/stages/adapt.py").write_text(SLOW_STAGE)
    return project


def log(project: Project) -> Path:
    return project.folder / "logs/tiny/adapt.0000.log"


def sleepers(project: Project) -> list[str]:
    """Process ids of the project's stages (Linux)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            here = (process / "cwd").readlink() == project.folder.resolve()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if here and b"cosee.stages.adapt" in command and b"snakemake" not in command:
            found.append(process.name)
    return found


def test_a_terminal_shows_bars_and_keeps_a_line_a_job(tmp_path):
    project = Project.create(tmp_path / "project")
    terminal = Terminal(project)
    assert terminal.wait(240) == 0, terminal.text
    assert "━" in terminal.text and b"\x1b[?25l" in terminal.seen, "a bar, the cursor hidden meanwhile"
    assert re.search(r"jobs +━+ +\d+/22", terminal.text)
    assert re.search(r"answer tiny:cosee tiny/0001: 1 document, 1 question.*; \d+ s", terminal.text)
    assert terminal.seen.rstrip().endswith(b"report: results/report/index.html")
    assert terminal.seen.rfind(b"\x1b[?25h") > terminal.seen.rfind(b"\x1b[?25l"), "the cursor is back"
    assert "--settings" not in terminal.text and "input:" not in terminal.text


def test_one_ctrl_c_stops_a_run_and_the_same_command_goes_on(slow):
    terminal = Terminal(slow, ADAPTED)
    terminal.until(log(slow))
    terminal.press_ctrl_c()
    before = time.monotonic()
    assert terminal.wait(10) != 0
    assert time.monotonic() - before < 10
    assert terminal.text.count("stopping; the same command goes on") == 1
    after = terminal.text.partition("stopping;")[2]
    assert "Traceback" not in terminal.text and "--settings" not in terminal.text and "Error" not in after
    assert not sleepers(slow)
    (slow.folder / "src/cosee/stages/adapt.py").write_text(slow.source)
    again = Terminal(slow, ADAPTED)
    assert again.wait(120) == 0, again.text
    assert "adapt tiny/0000: 2 documents; " in again.text


def test_a_second_ctrl_c_ends_at_once_even_with_a_job_that_does_not_listen(slow):
    (slow.folder / "src/cosee/stages/adapt.py").write_text(DEAF_STAGE + SLOW_STAGE)
    terminal = Terminal(slow, ADAPTED)
    terminal.until(log(slow))
    terminal.press_ctrl_c()
    assert terminal.read(2), "it waits for the job"
    assert "stopping; the same command goes on" in terminal.text and sleepers(slow)
    terminal.press_ctrl_c()
    assert terminal.wait(3) == 130
    assert "Traceback" not in terminal.text and "--settings" not in terminal.text
    time.sleep(0.5)
    assert not sleepers(slow)


def test_ctrl_c_while_the_project_is_read_leaves_no_traceback(tmp_path):
    project = Project.create(tmp_path / "project")
    snakefile = project.folder / "workflow" / "Snakefile"
    snakefile.write_text("import time\nprint('asleep', flush=True)\ntime.sleep(100)\n" + snakefile.read_text())
    terminal = Terminal(project)
    deadline = time.monotonic() + 30
    while "asleep" not in terminal.text:
        assert terminal.read(0.1) and time.monotonic() < deadline, terminal.text
    terminal.press_ctrl_c()
    assert terminal.wait(10) == 130
    assert "stopping; the same command goes on" in terminal.text and "Traceback" not in terminal.text
