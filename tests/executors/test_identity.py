"""What makes an executor itself, and what is only a name."""

from dataclasses import replace

import pytest

from repairstudy.errors import ConfigError
from repairstudy.executors import Decoding, Executor, InvalidActions, ModelIdentity

EXECUTOR = Executor(
    name="small",
    model=ModelIdentity("smollm2", "r1", "abc"),
    protocol="ego/1",
    template="{observation}",
)


def test_the_id_is_pinned():
    """Ids name cached rollouts on users' disks: no change of ours may alter them unseen."""
    assert EXECUTOR.executor_id == "c0ee4d2e1a83c915a09fc8a028256b49"


def test_the_name_is_no_part_of_the_identity():
    assert replace(EXECUTOR, name="other").executor_id == EXECUTOR.executor_id


@pytest.mark.parametrize(
    "changed",
    [
        {"model": ModelIdentity("smollm2", "r1", "abd")},
        {"model": ModelIdentity("smollm2", "r2", "abc")},
        {"model": ModelIdentity("smollm3", "r1", "abc")},
        {"protocol": "ego/2"},
        {"template": "{observation} "},
        {"invalid_actions": InvalidActions(4)},
        {"decoding": Decoding(temperature=0.3)},
        {"decoding": Decoding(top_p=0.9)},
        {"decoding": Decoding(top_k=2)},
        {"decoding": Decoding(mode="text")},
        {"decoding": Decoding(mode="text", max_tokens=2)},
        {"decoding": Decoding(mode="text", stop=("\n",))},
    ],
    ids=str,
)
def test_every_other_part_is(changed):
    assert replace(EXECUTOR, **changed).executor_id != EXECUTOR.executor_id


def test_a_variant_differs_in_its_decoding_alone():
    greedy = EXECUTOR.variant("small@greedy", temperature=0)
    assert greedy.decoding == Decoding(temperature=0.0)
    assert replace(greedy, name="small", decoding=EXECUTOR.decoding) == EXECUTOR


def test_equal_settings_give_one_id_however_they_are_written():
    written_in_yaml = EXECUTOR.variant("a", temperature=0, top_p=1, stop=["\n"])
    assert written_in_yaml.executor_id == (
        EXECUTOR.variant("a", temperature=0.0, top_p=1.0, stop=("\n",)).executor_id
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("top_p", 0.0),
        ("top_p", 1.1),
        ("top_k", -1),
        ("max_tokens", 0),
        ("max_tokens", 2),
        ("mode", "words"),
    ],
)
def test_impossible_decoding_is_refused_by_name(key, value):
    with pytest.raises(ConfigError, match=rf"decoding\.{key}: .*accepted"):
        Decoding(**{key: value})
