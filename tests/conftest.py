"""What all tests share."""

import pytest
from browser import browser
from hypothesis import settings

# A deadline would make a property depend on what else the machine is doing.
settings.register_profile("repairstudy", deadline=None, max_examples=60)
settings.load_profile("repairstudy")


# No longer than a module: while it is open, its event loop is this thread's, and no other runs.
@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started
