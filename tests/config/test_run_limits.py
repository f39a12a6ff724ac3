"""What a configuration lets a run of rollouts use."""

import copy
from pathlib import Path

import pytest

from repairstudy.config import parse_study, read_yaml
from repairstudy.config.build import limits_of

CONTENT = read_yaml(Path(__file__).parents[2] / "config/config.yaml")


@pytest.mark.parametrize(
    ("timeout", "patience", "decision"),
    [(300.0, 300.0, 1200.0), (60.0, 60.0, 600.0), (3600.0, 300.0, 7800.0)],
)
def test_no_decision_is_cut_short_while_a_request_may_still_be_answered(
    timeout, patience, decision
):
    content = copy.deepcopy(CONTENT)
    for model in content["models"].values():
        model |= {"timeout": timeout, "patience": patience}
    assert limits_of(parse_study(content, "here")).decision_timeout_s == decision


def test_an_environment_has_the_time_that_it_is_given():
    content = copy.deepcopy(CONTENT)
    content["rollouts"] |= {"environment_timeout": 7.0, "max_in_flight": 9, "retries": 0}
    limits = limits_of(parse_study(content, "here"))
    assert (limits.environment_timeout_s, limits.max_in_flight, limits.retries) == (7.0, 9, 0)
