"""What every test may use: helpers on the path, no network, and the switch that writes golden artifacts again."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from helpers import socket_guard

PROJECT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-golden", action="store_true", help="write golden artifacts instead of comparing")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole workflows first: they take longest, and at the end one of two workers would wait for the other."""
    items.sort(key=lambda item: "workflow" not in item.path.parts)


def pytest_configure() -> None:
    socket_guard.install()


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """Fails a test that tried to reach another machine, even where the code under test swallowed the refusal."""
    socket_guard.attempts.clear()
    yield
    assert socket_guard.attempts == []


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """A stage that runs inside a test logs to that test's error stream, which is closed when the next one logs."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
    for handler in [each for each in root.handlers if type(each) is logging.StreamHandler]:
        root.removeHandler(handler)


@pytest.fixture(scope="session")
def regenerate_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate-golden"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared measuring material beside the project; the test is skipped where there is none."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no shared/ folder beside the project")
    return folder
