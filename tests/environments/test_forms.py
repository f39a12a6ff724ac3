"""Actions with a blank, such as a search with any query."""

import pytest

from repairstudy.environments.forms import admits, closed, filling, is_form

ACTIONS = ("search[<query>]", "click[back to search]", "click[< prev]", "click[next >]")


def test_only_an_action_with_a_blank_is_a_form():
    assert [action for action in ACTIONS if is_form(action)] == ["search[<query>]"]
    assert closed(ACTIONS) == ACTIONS[1:]


@pytest.mark.parametrize(
    ("action", "holds"),
    [
        ("search[red shoes]", True),
        ("click[next >]", True),
        ("search[]", False),
        ("search[<query>]", False),
        ("search[a] click[b]", False),
        ("search[a\nb]", False),
        ("Search[red shoes]", False),
        ("click[buy now]", False),
        ("", False),
    ],
)
def test_whatever_fills_the_blank_is_admitted(action, holds):
    assert admits(ACTIONS, action) == holds


def test_a_form_is_filled_in_any_case_of_its_fixed_parts():
    assert filling("search[<query>]", "SEARCH[Red \\1 shoes]") == "search[Red \\1 shoes]"
    assert filling("search[<query>]", "look[red]") is None
