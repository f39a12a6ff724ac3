"""What all tests share."""

import pytest
from hypothesis import settings

# A deadline would make a property depend on what else the machine is doing.
settings.register_profile("repairstudy", deadline=None, max_examples=60)
settings.load_profile("repairstudy")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """With `pytest -n 2 --dist loadgroup`: whole studies in one worker, all else in the other."""
    for item in items:
        if item.get_closest_marker("workflow"):
            item.add_marker(pytest.mark.xdist_group("workflow"))
        elif item.get_closest_marker("engine"):
            item.add_marker(pytest.mark.xdist_group("engine"))
