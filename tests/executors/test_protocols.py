"""What an executor is shown, and how its words become an action."""

import pytest

from repairstudy.errors import ConfigError
from repairstudy.executors import AgentView, make_protocol

MOVES = ("up", "down", "left", "right")
VIEW = AgentView("Find the goal.", ("one", "two", "three"), ("up", "left"), MOVES)
TURNS = "Walk.\n\nState: {observation}\nMove:{action}\n"


def test_ego_shows_the_last_observation_alone():
    ego = make_protocol("ego/1")
    assert ego.prompt("See {observation}\nMove:\n", VIEW) == "See three\nMove:"
    assert ego.memoryless


def test_instruction_and_admissible_actions_have_slots():
    template = "{instruction} Now {observation}. One of {admissible}:"
    assert make_protocol("ego/1").prompt(template, VIEW) == (
        "Find the goal. Now three. One of up, down, left, right:"
    )


def test_transcript_shows_every_turn():
    transcript = make_protocol("transcript/1")
    assert transcript.prompt(TURNS, VIEW) == (
        "Walk.\n\nState: one\nMove: up\nState: two\nMove: left\nState: three\nMove:"
    )
    assert not transcript.memoryless


def test_transcript_only_ever_appends():
    transcript = make_protocol("transcript/1")
    before = transcript.prompt(TURNS, AgentView("", ("one", "two"), ("up",), MOVES))
    after = transcript.prompt(TURNS, AgentView("", ("one", "two", "x"), ("up", "left"), MOVES))
    assert after.startswith(before + " left")


@pytest.mark.parametrize(
    ("observations", "actions", "shown"),
    [
        (("one",), (), "State: one\nMove:"),
        (("one", "two"), ("up",), "State: one\nMove: up\nState: two\nMove:"),
        (("one", "two", "three"), ("up", "left"), "State: two\nMove: left\nState: three\nMove:"),
    ],
)
def test_recent_shows_the_last_two_states(observations, actions, shown):
    view = AgentView("", observations, actions, MOVES)
    assert make_protocol("recent/1").prompt(TURNS, view) == "Walk.\n\n" + shown


@pytest.mark.parametrize("name", ["ego/1", "transcript/1", "recent/1"])
def test_braces_in_observations_stay_as_they_are(name):
    template = "{observation}" if name == "ego/1" else "Walk.\n\n{observation}{action}"
    odd = "{observation} {action} {0} {{x}} {instruction} \\1 %s"
    view = AgentView("never shown", (odd,), (), MOVES)
    assert make_protocol(name).prompt(template, view).endswith(odd)


def test_unknown_protocols_and_slots_name_what_is_accepted():
    with pytest.raises(ConfigError, match=r"'ego'.*ego/1, react/1, recent/1, transcript/1"):
        make_protocol("ego")
    with pytest.raises(ConfigError, match=r"slot {observation} is missing"):
        make_protocol("ego/1").prompt("no slot", VIEW)
    with pytest.raises(ConfigError, match=r"unknown slot {mood}"):
        make_protocol("ego/1").prompt("{observation}{mood}", VIEW)
    with pytest.raises(ConfigError, match=r"must end with {action}"):
        make_protocol("transcript/1").prompt("Walk.\n\n{observation}{action} now", VIEW)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (" up", "up"),
        ("LEFT!", "left"),
        ("I go down, then up", "down"),
        ("upward or downhill: right.", "right"),
        ("nowhere", None),
        ("", None),
    ],
)
def test_the_first_admissible_word_is_the_action(text, action):
    assert make_protocol("ego/1").parse(text, MOVES) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("> go to desk 10", "go to desk 10"),
        ("Go  to\ndesk 1.", "go to desk 1"),
        ("go to desk 2", None),
        ("click[<- Prev] now", "click[<- prev]"),
    ],
)
def test_actions_of_several_words_and_signs(text, action):
    admissible = ("go to desk 1", "go to desk 10", "click[<- prev]")
    assert make_protocol("transcript/1").parse(text, admissible) == action


def test_nothing_is_admissible_at_the_end():
    assert make_protocol("ego/1").parse("up", ()) is None


def test_a_choice_is_the_word_after_a_space():
    assert make_protocol("ego/1").options(VIEW) == {f" {move}": move for move in MOVES}
