"""Where replicated studies come from: known probabilities, and nulls that lose exactly nothing."""

import numpy as np
import pytest
from validation_data import stored

from repairstudy.errors import DataError
from repairstudy.records import generator
from repairstudy.validation import nulls, simulated
from repairstudy.validation.failure_bias import real_contenders, simulated_contenders
from repairstudy.validation.populations import clusters_of, roll
from repairstudy.validation.real_model import PER_LAYOUT, real_failures
from repairstudy.validation.studies import true_losses


@pytest.fixture(scope="module")
def failures():
    return real_failures(stored())


def test_rollouts_have_the_frequencies_of_their_probabilities():
    chances = np.array([[0.5, 0.0, 0.5], [0.1, 0.7, 0.2]])
    outcomes = roll(chances, 40_000, np.random.default_rng(1))
    for level, value in enumerate((0.0, 0.5, 1.0)):
        found = (outcomes == value).mean(axis=1)
        np.testing.assert_allclose(found, chances[:, level], atol=0.01)


def test_probabilities_of_every_population_add_up(failures):
    for population in (simulated.successes(10), simulated.rewards(10), failures.population()):
        for chances in (population.own, population.original, *population.others.values()):
            np.testing.assert_allclose(chances.sum(axis=-1), 1.0, atol=1e-12)
            assert (chances >= 0.0).all()
        for weights in population.fixed.values():
            np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=1e-12)


def test_failures_of_a_study_are_neighbours_by_task():
    population = simulated.successes(50)
    chosen = population.draw(4, 12, 3, np.random.default_rng(1))
    tasks = (chosen // population.tasks.shape[1]).reshape(4, 4, 3)
    assert (tasks == tasks[..., :1]).all()
    assert all(len(set(group)) == 3 for group in chosen.reshape(-1, 3))
    assert len(set(clusters_of(12, 3))) == 4


def test_the_same_key_gives_the_same_population():
    first, second = simulated.successes(20), simulated.successes(20)
    assert (first.own == second.own).all()
    assert (simulated.rewards(20).means != first.means).any()


@pytest.mark.parametrize("make", nulls.NULLS, ids=lambda make: make.__name__)
def test_nulls_lose_exactly_nothing(make):
    losses = true_losses(make()).losses.mean(axis=0)
    assert len(losses) == nulls.FAMILY
    if make is nulls.one_effect:
        assert losses[-1] > 0.05
        losses = losses[:-1]
    assert np.abs(losses).max() < 1e-12


def test_skewed_losses_are_skewed():
    losses = true_losses(nulls.skewed()).losses[:, 0]
    centred = losses - losses.mean()
    assert (centred**3).mean() / losses.std() ** 3 > 3


def test_the_real_model_fails_and_can_be_repaired(failures):
    assert (failures.layouts.shape[1], failures.own.shape[1:]) == (PER_LAYOUT, (3, 3))
    assert ((failures.own >= 0) & (failures.own <= 1)).all()
    # A run that failed took worse actions than there were.
    assert failures.own.max(axis=-1).mean() - failures.original.mean() > 0.1


def test_distributions_of_another_gridworld_are_refused():
    with pytest.raises(DataError, match="Make them again"):
        real_failures({**stored(), "version": "0-other"})
    with pytest.raises(DataError, match="no model smollm2"):
        real_failures({**stored(), "models": {}})


def test_positions_of_a_failure_differ_in_their_originals(failures):
    for contenders in (simulated_contenders(), real_contenders(failures)):
        assert contenders.own.shape == (48, 3, 3)
        assert np.ptp(contenders.original, axis=1).mean() > 0.02
        np.testing.assert_allclose(contenders.scores.sum(axis=(1, 2)), 1.0)


def test_streams_are_keyed_by_what_they_are_for():
    population = simulated.successes(20)
    first = population.draw(2, 30, 1, generator("validation", "studies", 0))
    assert (first == population.draw(2, 30, 1, generator("validation", "studies", 0))).all()
