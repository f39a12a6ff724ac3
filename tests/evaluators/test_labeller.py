"""A labeller's answer becomes labels of the list or is counted as unparsable, never guessed."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.descriptions import FailedRun, symptoms_of
from repairstudy.engines import Completion
from repairstudy.evaluators.labeller import Answer, Labeller, label_runs, meanings, parse_labels
from repairstudy.records import TABLES
from repairstudy.store import check

LABELS = ("loop", "no_effect", "entered_pit", "unexplained")
RUN = FailedRun(
    environment="gridworld",
    observations=("the start", "a {steps} of braces"),
    actions=("up", "down"),
    valid=(True, True),
    signatures=("s", "t"),
    instruction="reach the goal",
)


class Scripted:
    """An engine that answers the requests with these texts in turn and keeps the prompts."""

    def __init__(self, *texts):
        self.texts, self.prompts = list(texts), []

    async def complete(self, request):
        self.prompts.append(request.prompt)
        return Completion(self.texts.pop(0), "stop", 1, 1)

    async def score(self, prompt, choices):
        raise AssertionError("a labeller writes text")

    async def close(self):
        pass


def labelled(*texts):
    engine = Scripted(*texts)
    who = Labeller(engine, "big", "{labels}\n{instruction}\n{steps}\nLabels:", 16, 0.0)
    runs = [(f"f{i}", RUN) for i in range(len(texts))]
    return asyncio.run(label_runs(who, runs, seed=1)), engine


def test_answers_become_rows_and_what_names_no_label_is_counted():
    found, _ = labelled(" loop, bad luck", "I cannot say.", "entered pit")
    rows = check(found.rows, TABLES["llm_labels"], "labels")
    assert rows.rows() == [
        ("f0", "big", "failure_type", "loop"),
        ("f2", "big", "failure_type", "entered_pit"),
    ]
    assert (found.unparsed, found.ignored) == (1, 2)


def test_the_model_reads_task_steps_and_every_label_of_the_environment():
    _, engine = labelled("loop")
    [prompt] = engine.prompts
    assert "entered_pit: The last move went into a pit that it saw." in prompt
    assert "never_bought" not in prompt
    assert prompt.endswith(
        "\nreach the goal\n0. the start\n> up\n1. a {steps} of braces\n> down\nLabels:"
    )


def test_without_failures_the_table_is_empty():
    found, _ = labelled()
    assert (found.rows.schema, found.rows.height) == (TABLES["llm_labels"].schema, 0)


@pytest.mark.parametrize("environment", ["alfworld", "gridworld", "webshop", "any"])
def test_every_label_has_a_sentence(environment):
    said = meanings(environment)
    assert list(said)[:-1] == [symptom.label for symptom in symptoms_of(environment)]
    assert all(text.endswith(".") and len(text) > 20 for text in said.values())


@pytest.mark.parametrize(
    ("text", "labels", "ignored"),
    [
        ("loop, no_effect", ("loop", "no_effect"), 0),
        ("No Effect; LOOP; loop", ("no_effect", "loop"), 0),
        ("<think>loop</think> entered_pit", ("entered_pit",), 0),
        ("<think>loop", (), 0),
        ("loophole, sloop, loop_2, non-loop", (), 4),
        ("It ran in a loop.", ("loop",), 0),
        ("unexplained", ("unexplained",), 0),
        ("unexplained, loop", ("loop",), 0),
        ("- loop\n- a whim\n", ("loop",), 1),
        ("", (), 0),
    ],
)
def test_parsing_of_labels(text, labels, ignored):
    assert parse_labels(text, LABELS) == Answer(labels, ignored)


@given(st.text(), st.sampled_from(LABELS))
def test_any_text_gives_known_labels_once_and_a_label_on_a_line_of_its_own_is_found(text, label):
    found = parse_labels(text, LABELS).labels
    assert set(found) <= set(LABELS)
    assert len(set(found)) == len(found)
    alone = parse_labels(f"{label}\n{text.replace('<', '')}", LABELS).labels
    assert label in alone or (label == "unexplained" and alone)


@given(st.lists(st.sampled_from(LABELS[:3]), min_size=1, unique=True))
def test_a_list_of_labels_is_read_back(labels):
    assert parse_labels(", ".join(labels), LABELS) == Answer(tuple(labels), 0)
