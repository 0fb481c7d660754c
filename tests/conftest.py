"""What every test may use: helpers on the path, and the switch that writes golden artifacts again."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

PROJECT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-golden", action="store_true", help="write golden artifacts instead of comparing")


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
