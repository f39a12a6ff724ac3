"""How many episodes are open: the engine neither starves nor forgets, whatever it is asked for."""

import asyncio

import pytest
from admission_world import Setting, World
from hypothesis import given
from hypothesis import strategies as st
from rollout_toys import Corridor, HashEngine, actor, records, run, wanted

from repairstudy.engines.load import Load
from repairstudy.rollouts import Limits, RolloutCache
from repairstudy.rollouts.admission import Admission

MOST = 1024
NUMBERS = (16, 24, 32, 48, 64, 96, 128, 256, 512)  # fixed ones, the best of which is aimed at


def adaptive(setting):
    world = World(setting, Admission(MOST).may_be_open)
    return world.rate(), world


def fixed(setting, number):
    return World(setting, lambda *_: number).rate()


SETTINGS = {
    "quick environments": Setting(),
    "slow environments": Setting(environment_s=0.6, start_s=1.0),
    "very slow environments": Setting(environment_s=1.5, start_s=4.0),
    "a small cache": Setting(cache=32 * 2500),
    "a small cache and slow environments": Setting(cache=64 * 2500, environment_s=0.4),
    "a cache smaller than the batch": Setting(cache=12 * 2500),
    "few environments": Setting(environment_s=0.2, start_s=0.5, environments=8),
    "a wide spread of lengths": Setting(environment_s=0.3, turns=(2, 50)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_it_does_what_the_best_fixed_number_does(name):
    """That number is another one in each setting."""
    best = max(fixed(SETTINGS[name], number) for number in NUMBERS)
    assert adaptive(SETTINGS[name])[0] > 0.88 * best


def test_a_fixed_number_starves_the_engine_or_thrashes_its_cache():
    slow, small = SETTINGS["very slow environments"], SETTINGS["a small cache"]
    assert adaptive(slow)[0] > 3 * fixed(slow, 64)
    assert adaptive(small)[0] > 3 * fixed(small, 128)


def test_no_more_episodes_are_open_than_the_engine_has_use_for():
    assert max(adaptive(SETTINGS["quick environments"])[1].numbers) == 33
    assert max(adaptive(SETTINGS["few environments"])[1].numbers) < 100


LOADS = st.builds(
    Load,
    st.integers(0, 500),
    st.integers(0, 500),
    st.integers(0, 500),
    st.none() | st.floats(0.0, 1e6),
)


@given(st.integers(1, 300), st.lists(st.tuples(st.floats(0, 9), st.integers(0, 300), LOADS)))
def test_something_is_always_open_and_never_more_than_the_most(most, moments):
    admission, now = Admission(most), 0.0
    for passed, waiting, load in moments:
        now += passed
        assert 1 <= admission.may_be_open(now, most, waiting, load) <= most


def test_an_engine_that_takes_any_number_gets_the_most():
    assert Admission(77).may_be_open(0.0, 0, 0, None) == 77


def test_while_the_engine_starts_its_places_are_filled_and_no_more():
    admission = Admission(MOST)
    for second in range(600):
        assert admission.may_be_open(float(second), 33, 0, Load(32, 0, 33)) == 33


def test_while_the_engine_is_down_nothing_is_opened_and_nothing_learnt():
    admission = Admission(MOST)
    assert admission.may_be_open(0.0, 0, 0, Load(32, 0, 0)) == 33
    for second in range(100):
        assert admission.may_be_open(float(second), 33, 0, Load(0, 0, 33)) == 1
    assert admission.may_be_open(100.0, 33, 0, Load(32, 32, 1)) == 33


class Placed(HashEngine):
    """Takes so many requests at once, as it says."""

    def __init__(self, places, **options):
        super().__init__(**options)
        self.places, self.gate = places, asyncio.Semaphore(places)

    def load(self):
        running = self.places - self.gate._value
        return Load(self.places, running, self.waiting - running)

    async def _arrive(self):
        self.waiting += 1
        try:
            async with self.gate:
                self.most_waiting = max(self.waiting, self.most_waiting)
                self.calls += 1
                await asyncio.sleep(self._delay_s(self.calls))
        finally:
            self.waiting -= 1


def test_a_run_opens_what_is_admitted_and_its_records_are_the_same(tmp_path):
    plain = RolloutCache(tmp_path / "plain")
    run(wanted(20), plain)
    for places in (1, 4):
        engine = Placed(places, delay_s=lambda call: 0.002)
        made = []

        class Counted(Corridor):
            def __init__(self, made=made):
                super().__init__()
                made.append(self)

        cache = RolloutCache(tmp_path / str(places))
        run(wanted(20), cache, actor(engine), Counted, Limits(max_in_flight=256))
        assert records(cache).equals(records(plain))
        assert len(made) == engine.most_waiting == places + 1
