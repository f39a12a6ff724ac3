"""The real engine, for the test modules that play with it; needs textworld."""

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a module's games and their translations lie."""
    return tmp_path_factory.mktemp("alfworld")


@pytest.fixture(scope="module")
def engine(folder):
    from repairstudy.environments.alfworld.engine import Engine

    return Engine(folder / "translations")
