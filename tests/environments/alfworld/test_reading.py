"""What an agent may know is what the text said: tasks, contents, the hand, treatments."""

import pytest

from repairstudy.environments.alfworld.reading import Task, parse_task, read
from repairstudy.errors import StudyError
from repairstudy.executors.protocols import AgentView

ROOM = (
    "You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a fridge 1, "
    "and a shelf 2."
)


def view(*turns, admissible=("go to shelf 2", "look")):
    """An episode from pairs of an action and what it showed."""
    actions, observations = zip(*turns, strict=True) if turns else ((), ())
    return AgentView("put a mug in shelf.", (ROOM, *observations), actions, admissible)


@pytest.mark.parametrize(
    ("sentence", "task"),
    [
        ("put a mug in shelf.", Task("place", "mug", "shelf")),
        ("put some mug on shelf.", Task("place", "mug", "shelf")),
        ("Your task is to: put a clean plate in countertop.", Task("clean", "plate", "countertop")),
        ("clean some egg and put it in fridge.", Task("clean", "egg", "fridge")),
        ("put a hot apple in cabinet.", Task("heat", "apple", "cabinet")),
        ("heat some apple and put it in cabinet.", Task("heat", "apple", "cabinet")),
        ("put a cool pan in stoveburner.", Task("cool", "pan", "stoveburner")),
        ("cool some pan and put it in stoveburner.", Task("cool", "pan", "stoveburner")),
        ("look at cd under the desklamp.", Task("look", "cd", "desklamp")),
        ("examine the cd with the desklamp.", Task("look", "cd", "desklamp")),
    ],
)
def test_all_ten_templates_are_understood(sentence, task):
    assert parse_task(sentence) == task


def test_a_task_with_two_objects_is_refused():
    with pytest.raises(StudyError, match="put two cd in safe"):
        parse_task("put two cd in safe.")


def test_the_room_is_what_the_first_observation_lists():
    assert read(view()).receptacles == ["cabinet 1", "fridge 1", "shelf 2"]


def test_without_that_list_the_room_is_what_can_be_gone_to():
    bare = AgentView("", ("Nothing happens.",), (), ("go to desk 1", "look"))
    assert read(bare).receptacles == ["desk 1"]


def test_receptacles_that_one_cannot_go_to_are_within_reach():
    assert read(view()).here(("go to shelf 2", "open fridge 1")) == ["cabinet 1", "fridge 1"]


def test_a_closed_receptacle_has_not_been_looked_into():
    arrived = ("go to cabinet 1", "You arrive at cabinet 1. The cabinet 1 is closed.")
    reading = read(view(arrived))
    assert reading.last == "cabinet 1"
    assert reading.contents == {}
    opened = "You open the cabinet 1. The cabinet 1 is open. In it, you see a cup 2, and a mug 1."
    reading = read(view(arrived, ("open cabinet 1", opened)))
    assert reading.contents == {"cabinet 1": ("cup 2", "mug 1")}
    assert reading.place_of("mug") == "cabinet 1"
    assert reading.looked == {"cabinet 1": 2}


def test_things_move_with_the_hand():
    shelf = ("go to shelf 2", "You arrive at shelf 2. On the shelf 2, you see a mug 1.")
    taken = ("take mug 1 from shelf 2", "You pick up the mug 1 from the shelf 2.")
    put = ("move mug 1 to fridge 1", "You move the mug 1 to the fridge 1.")
    assert read(view(shelf)).held is None
    reading = read(view(shelf, taken))
    assert (reading.held, reading.contents) == ("mug 1", {"shelf 2": ()})
    reading = read(view(shelf, taken, put))
    assert (reading.held, reading.place_of("mug")) == (None, "fridge 1")


def test_heat_and_cold_undo_each_other_and_cleanness_stays():
    def treated(*hows):
        return read(
            view(*((f"{how} mug 1", f"You {how} the mug 1 using the thing 1.") for how in hows))
        ).treated["mug 1"]

    assert treated("clean", "heat") == {"clean", "heat"}
    assert treated("heat", "clean", "cool") == {"clean", "cool"}


def test_nothing_happens_tells_nothing():
    assert read(view(("open shelf 2", "Nothing happens."))) == read(view())
