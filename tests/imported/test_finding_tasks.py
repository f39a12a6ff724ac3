"""Which task an imported run was about: a field that names it, or its instruction."""

import re

import pytest
from imported_worlds import world

from repairstudy.environments import Outcome, Step
from repairstudy.imported.logged import LoggedRun, field_of
from repairstudy.imported.tasks import Tasks


class Errands:
    """Tasks with the instructions that they are made with."""

    name, version, blocking = "errands", "1", False

    def __init__(self, **instructions):
        self._instructions = instructions
        self._task = None

    def tasks(self):
        return tuple(self._instructions)

    def reset(self, task_id, seed=0):
        self._task = task_id
        return "start"

    def instruction(self):
        return self._instructions[self._task]

    def step(self, action):
        return Step("", False, True)

    def outcome(self):
        return Outcome(False, 0.0)


def asked(*opening, **fields):
    return LoggedRun("log, line 1", 1, "a", fields, opening)


def test_a_field_names_the_task_at_any_depth():
    tasks = Tasks(world(), "metadata.game.layout")
    assert tasks.of(asked(metadata={"game": {"layout": "layout-003"}})) == "layout-003"
    assert field_of({"a.b": 1, "a": {"b": 2}}, "a.b") == 1


def test_without_a_field_task_id_is_looked_for_in_the_log_and_its_metadata():
    tasks = Tasks(world())
    assert tasks.of(asked(task_id="layout-001")) == "layout-001"
    assert tasks.of(asked(metadata={"task_id": "layout-002"})) == "layout-002"


@pytest.mark.parametrize(
    ("key", "fields", "problem"),
    [
        ("id", {"id": "nowhere"}, "environment gridworld has no task 'nowhere' (it has 12, such"),
        ("id", {"id": ["layout-001"]}, "environment gridworld has no task ['layout-001']"),
        ("id", {"name": "layout-001"}, "no field 'id' names the task (fields: name)"),
        ("a.b", {"a": "layout-001"}, "no field 'a.b' names the task (fields: a)"),
    ],
)  # fmt: skip
def test_a_name_that_no_task_has_is_told(key, fields, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        Tasks(world(), key).of(asked(**fields))


def test_the_instruction_is_found_in_any_of_the_first_texts():
    tasks = Tasks(Errands(milk="Buy milk.", bread="Buy\nbread."))
    assert tasks.of(asked("You are a servant.", "Today: Buy   bread. Hurry!")) == "bread"


def test_of_instructions_within_each_other_the_longest_is_meant():
    tasks = Tasks(Errands(nine="size: 9", half="size: 9.5"))
    assert tasks.of(asked("shoes, size: 9.5")) == "half"
    assert tasks.of(asked("shoes, size: 9, red")) == "nine"


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (("Buy coal.",), "no instruction of the 3 tasks of environment errands stands in"),
        (("Buy milk. Or: Buy bread.",), "2 tasks have an instruction that the run was shown: mi"),
        (("Sleep.",), "no instruction"),
        ((), "no instruction"),
    ],
)  # fmt: skip
def test_none_or_several_instructions_are_told(texts, problem):
    tasks = Tasks(Errands(milk="Buy milk.", bread="Buy bread.", nothing=""))
    with pytest.raises(ValueError, match=problem):
        tasks.of(asked(*texts))


def test_tasks_with_the_same_instruction_are_listed():
    with pytest.raises(
        ValueError, match=r"12 tasks have .*: layout-000, layout-001, .* and 7 more"
    ):
        Tasks(world()).of(asked(f"{instruction_of_the_gridworld()} Good luck."))


def instruction_of_the_gridworld():
    environment = world()
    environment.reset("layout-000")
    return environment.instruction()
