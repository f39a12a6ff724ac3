"""A logged run done again: what is believed of a log, and what betrays it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_worlds import GOAL, LOST, PIT, replayed, run, study, walk, world

from repairstudy.cli.importing.replays import patterns, study_of
from repairstudy.environments import Outcome, Step
from repairstudy.errors import StudyError
from repairstudy.imported.logged import LoggedRun, Turn
from repairstudy.imported.replaying import replay_run
from repairstudy.imported.tasks import Tasks

moves = st.sampled_from(["up", "down", "left", "right", "jump"])


@given(
    st.sampled_from([f"layout-{n:03d}" for n in range(12)]),
    st.lists(moves, min_size=1, max_size=20),
)
def test_what_was_recorded_replays_and_replays_again(task, actions):
    """Up to the end of the episode; what comes out is a run that comes out as itself."""
    environment = world()
    shown, done = [environment.reset(task)], 0
    for action in actions:
        if not environment.admissible_actions():
            break
        shown.append(environment.step(action).observation)
        done += 1
    success = environment.outcome().success
    one = replayed(run("a", task, actions[:done], observations=shown, success=success))
    most = study().executors["blind"].invalid_limit
    if actions[: done - 1].count("jump") > most:
        assert one.verdict == "unusable"
        assert "not admissible, the executor survives 5" in one.detail
        return
    assert one.verdict == ("success" if success else "failure")
    assert (one.run.observations, one.run.actions) == (shown, actions[:done])
    assert one.run.valid == [action != "jump" for action in actions[:done]]
    assert one.compared == done + 1
    assert one.invalid == actions[:done].count("jump")
    again = replayed(one.run)
    assert again == replace(one, logged=again.logged)


@pytest.mark.parametrize(
    ("run_of", "verdict"), [(PIT, "failure"), (LOST, "failure"), (GOAL, "success")]
)
def test_actions_alone_are_enough_where_all_are_admissible(run_of, verdict):
    one = replayed(run("a", *run_of))
    assert (one.verdict, one.compared) == (verdict, 0)


@pytest.mark.parametrize("step", range(4))
def test_another_observation_is_a_divergence_at_its_step(step):
    task, actions = LOST
    shown, _ = walk(task, actions)
    there = [text if number != step else "You see a troll." for number, text in enumerate(shown)]
    one = replayed(run("a", task, actions, observations=there))
    assert one.verdict == "diverges"
    assert one.detail == f"step {step}: another observation than the log's"
    assert one.divergence.step == one.compared == step
    assert (one.divergence.recorded, one.divergence.replayed) == ("You see a troll.", shown[step])
    assert one.run is None


def test_observations_that_were_not_recorded_are_passed_over():
    task, actions = LOST
    shown, _ = walk(task, actions)
    one = replayed(run("a", task, actions, observations=[None, shown[1], None]))
    assert (one.verdict, one.compared, one.run.observations) == ("failure", 1, shown)


def test_white_space_around_an_observation_and_ignored_parts_do_not_count():
    task, actions = PIT
    shown, _ = walk(task, actions)
    there = [f"\n {text} [step {number}]\n" for number, text in enumerate(shown)]
    one = replayed(run("a", task, actions, observations=there), ignored=patterns([r"\[step \d+\]"]))
    assert (one.verdict, one.compared) == ("failure", 2)


def test_an_observation_may_stand_inside_a_prompt_if_that_is_asked_for():
    task, actions = PIT
    shown, _ = walk(task, actions)
    there = run("a", task, actions, observations=[f"Step!\n{text}\nYour move:" for text in shown])
    assert replayed(there).verdict == "diverges"
    one = replayed(there, comparison="contained")
    assert (one.verdict, one.compared) == ("failure", 2)
    other = run("a", task, actions, observations=["Step!\nYour move:"] * 2)
    assert replayed(other, comparison="contained").verdict == "diverges"
    assert replayed(other, comparison="unchecked").verdict == "failure"


def test_an_action_that_does_nothing_is_believed_only_if_the_log_shows_it():
    task, actions = "layout-009", ["jump", "right"]
    shown, _ = walk(task, actions)
    believed = [
        run("a", task, actions, observations=shown),
        run("a", task, actions, valid=[False, True]),
    ]
    assert [replayed(one).verdict for one in believed] == ["failure", "failure"]
    one = replayed(run("a", task, actions))
    assert one.verdict == "diverges"
    assert one.detail.startswith("step 0: 'jump' is not admissible, and no observation in the log")
    hidden = replayed(run("a", task, actions, observations=shown), comparison="unchecked")
    assert hidden.verdict == "diverges"


def test_what_was_admissible_must_be_so_again():
    one = replayed(run("a", *PIT, valid=[False]))
    assert one.detail == "step 0: 'right' was not admissible in the log, and is not so here"
    one = replayed(run("a", "layout-009", ["jump"], valid=[True]))
    assert one.detail == "step 0: 'jump' was admissible in the log, and is not so here"


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"success": True}, "end: the log says success, the replay ends in failure"),
        ({"reward": 0.5}, "end: the log says reward 0.5, the replay ends with 0"),
    ],
)
def test_an_outcome_that_the_replay_contradicts_is_a_divergence(fields, detail):
    one = replayed(run("a", *PIT, **fields))
    assert (one.verdict, one.detail) == ("diverges", detail)


def test_actions_after_the_end_are_a_divergence_and_words_are_not():
    task, actions = PIT
    one = replayed(run("a", task, [*actions, "up"]))
    assert one.detail == "step 1: the episode is over, the log goes on with an action"
    words = LoggedRun(
        "x", 1, "a", {"task_id": task}, turns=(Turn(None, "right"), Turn(None, "Oh!"))
    )
    assert replayed(words).run.actions == ["right"]


def test_a_run_longer_than_the_budget_is_no_run_of_the_study():
    back_and_forth = ["up", "down"] * 11
    one = replayed(run("a", "layout-009", back_and_forth))
    assert (one.verdict, one.detail) == ("unusable", "22 actions, the study's budget is 20")
    assert replayed(run("a", "layout-009", back_and_forth[:20])).verdict == "failure"


def test_words_become_actions_as_the_executor_s_protocol_reads_them():
    text = "Thought: not left.\nAction: right"
    words = LoggedRun("x", 1, "a", {"task_id": "layout-009"}, turns=(Turn(None, text),))
    assert replayed(words, protocol="react/1").run.actions == ["right"]
    assert replayed(words).run.actions == ["left"]  # "ego/1" takes the first move that is named
    assert replayed(words, protocol="react/1").run.texts == [text]


@pytest.mark.parametrize("turn", [Turn("  "), Turn(None, ""), Turn("a\ud800")])
def test_a_step_without_an_action_is_unreadable(turn):
    one = replayed(LoggedRun("x", 1, "a", {"task_id": "layout-009"}, turns=(turn,)))
    assert (one.verdict, one.detail) == ("unreadable", "step 0: no action in it")


@pytest.mark.parametrize(
    "text", ["\x00", "\x1b[31mred", "'; DROP TABLE steps; --", "<script>", "🙂" * 9999]
)
def test_hostile_texts_are_inadmissible_actions_like_any_other(text):
    shown, _ = walk("layout-009", [text])
    one = replayed(run("a", "layout-009", [text], observations=shown))
    assert (one.verdict, one.run.actions, one.run.valid) == ("failure", [text.strip()], [False])


class Loud:
    """Takes its actions in any case, and lists them in small letters. Unless `strict`."""

    name, version, blocking = "loud", "1", False

    def __init__(self, strict=False, broken=False):
        self._strict, self._broken, self.done = strict, broken, ()

    def tasks(self):
        return ("one",)

    def reset(self, task_id, seed=0):
        self.done = ()
        return "start"

    def instruction(self):
        return "Say yes."

    def admissible_actions(self):
        return ("yes", "say[<word>]")

    def step(self, action):
        if self._broken:
            raise ValueError("lost")
        valid = action in ("yes", "say[no]") or (not self._strict and action.lower() == "yes")
        self.done += (action.lower(),) if valid else ()
        return Step(f"{len(self.done)} done", False, valid)

    def outcome(self):
        return Outcome(False, 0.0)

    def signature(self):
        return repr(self.done)

    def snapshot(self):
        return self.done

    def restore(self, snapshot):
        self.done = snapshot


def in_loud(environment, *actions, **fields):
    return replay_run(
        environment, Tasks(environment),
        LoggedRun("x", 1, "a", {"task_id": "one"}, turns=tuple(Turn(a, **fields) for a in actions)),
        study_of(study(), "blind"),
    )  # fmt: skip


def test_an_action_has_the_name_that_the_environment_lists_it_under():
    """Else a candidate that is the same action would count as another one."""
    one = in_loud(Loud(), "YES", "yes", "say[no]")
    assert (one.run.actions, one.run.valid) == (["yes", "yes", "say[no]"], [True] * 3)
    assert one.run.observations[-1] == "3 done"


def test_where_case_matters_an_action_in_another_case_does_nothing():
    one = in_loud(Loud(strict=True), "YES", valid=False)
    assert (one.run.actions, one.run.valid) == (["YES"], [False])
    assert one.run.observations == ["start", "0 done"]


def test_an_environment_that_fails_is_no_fault_of_the_run():
    with pytest.raises(StudyError, match="x: environment loud: ValueError: lost"):
        in_loud(Loud(broken=True), "yes")


def test_a_reward_that_is_none_is_the_environment_s_fault_too():
    generous = Loud()
    generous.outcome = lambda: Outcome(True, 2.0)
    with pytest.raises(StudyError, match="x: environment loud: ValidationError"):
        in_loud(generous, "yes")
