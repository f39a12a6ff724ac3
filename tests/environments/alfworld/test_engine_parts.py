"""Names, expressions, and the planner's text format, by hand."""

import pytest
from real_games import needs_engine

from repairstudy.environments.alfworld.names import kind, readable
from repairstudy.environments.alfworld.sas import conditional_effects


def test_the_last_of_a_kind_in_alphabetical_order_is_number_one():
    ids = ["mug_bar__plus_01", "mug_bar__plus_02", "mug_bar__minus_03", "desk_bar_1"]
    assert readable(ids) == {
        "mug_bar__minus_03": "mug 3",
        "mug_bar__plus_01": "mug 2",
        "mug_bar__plus_02": "mug 1",
        "desk_bar_1": "desk 1",
    }


def test_naming_an_id_twice_counts_it_once():
    assert readable(["pen_bar_1", "pen_bar_1"]) == {"pen_bar_1": "pen 1"}


def test_a_sink_is_not_its_basin():
    assert kind("sink_bar_1") == "sink"
    assert kind("sink_bar_1_bar_sinkbasin") == "sinkbasin"


def test_an_id_without_a_place_keeps_its_text():
    assert readable(["agent1"]) == {"agent1": "agent1 "}


SAS = """begin_variable
var0
-1
2
Atom on(lamp)
NegatedAtom on(lamp)
end_variable
begin_variable
var1
-1
2
Atom used(lamp)
NegatedAtom used(lamp)
end_variable
begin_operator
look
0
1
0 1 -1 0
1
end_operator
begin_operator
use lamp
1
1 1
3
1 0 0 0 -1 1
1 0 1 0 -1 0
0 1 1 0
1
end_operator
"""


def test_effects_with_conditions_are_read_by_operator():
    on, off = "Atom on(lamp)", "NegatedAtom on(lamp)"
    assert conditional_effects(SAS) == {
        1: (((on,), off), ((off,), on), ((), "Atom used(lamp)")),
    }


@needs_engine
@pytest.mark.parametrize("expression", ["o.name", "o.indefinite + ' ' + o.name", "r.name or r.id"])
def test_names_put_together_may_stand_in_a_text(expression):
    from repairstudy.environments.alfworld.grammar import _check

    _check(expression)


@needs_engine
@pytest.mark.parametrize(
    "expression", ["open('x')", "o.__class__", "[o for o in ()]", "o.name * 9", "import os"]
)
def test_anything_else_may_not(expression):
    from repairstudy.environments.alfworld.grammar import UnsafeText, _check

    with pytest.raises(UnsafeText):
        _check(expression)
