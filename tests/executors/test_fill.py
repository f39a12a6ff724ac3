"""Templates are filled in one pass, with texts that nobody controls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.errors import ConfigError
from repairstudy.records.text import fill

NAMES = ("action", "history", "observation")
LITERALS = st.text(alphabet="ab {}\n1A", max_size=8)
VALUES = st.text(alphabet="{}action \\1", max_size=12)


@given(
    parts=st.lists(st.tuples(LITERALS.filter(lambda t: "{" not in t), st.sampled_from(NAMES))),
    end=LITERALS.filter(lambda t: "}" not in t),
    slots=st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)),
)
def test_each_slot_becomes_its_text_whatever_the_text_holds(parts, end, slots):
    template = "".join(literal + "{" + name + "}" for literal, name in parts) + end
    assert fill(template, slots) == "".join(t + slots[name] for t, name in parts) + end


def test_an_unknown_slot_is_named_with_those_accepted():
    with pytest.raises(ConfigError, match=r"unknown slot \{mood\} \(accepted: action, place\)"):
        fill("{action} {mood} {weather}", {"place": "here", "action": "up"})


def test_braces_around_anything_but_a_name_are_plain_text():
    assert fill('{"Place": {place}} {} {A}', {"place": "here"}) == '{"Place": here} {} {A}'
