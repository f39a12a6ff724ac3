"""What the tests of faults share."""

import pytest
from fault_runs import undisturbed_records


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    return undisturbed_records(tmp_path_factory.mktemp("undisturbed"))
