import pytest
from helpers.project import Project


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """A small project that ran to its end; tests work on copies."""
    project = Project.create(tmp_path_factory.mktemp("finished") / "project")
    project.run()
    return project


@pytest.fixture
def project(finished, tmp_path) -> Project:
    return finished.copy(tmp_path / "project")
