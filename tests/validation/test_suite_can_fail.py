"""Faults planted in the library are seen by the suite as missed targets.

Each test runs a part of the suite on the library as it is and with one fault of the kinds that
this field has seen, with few replicates.
"""

import numpy as np
import pytest

from repairstudy.estimators import batch, inference
from repairstudy.validation import bias as bias_module
from repairstudy.validation import errors, failure_bias, nulls, simulated, studies
from repairstudy.validation.bias import bias
from repairstudy.validation.coverage import coverage
from repairstudy.validation.errors import family_wise_error

SURPRISE = 4  # Monte Carlo errors that chance does not reach


def find(measurements, **parts):
    found = [m for m in measurements if all(getattr(m, k) == v for k, v in parts.items())]
    assert len(found) == 1, (parts, len(found))
    return found[0]


def crossfit_bias(own_rollouts, studies=40):
    measured = list(bias(simulated.successes(100), studies))
    parts = {"method": "cross-fit, exact", "quantity": "value", "own_rollouts": own_rollouts}
    return find(measured, **parts)


@pytest.fixture(scope="module")
def sound():
    """The library as it is."""
    return list(bias(simulated.successes(100), 40, contrasts=True))


def test_the_library_as_it_is_shows_no_bias(sound):
    honest = [m for m in sound if not m.contrast and not m.method.startswith("equivalent")]
    assert len(honest) == 30
    assert max(abs(m.value) - SURPRISE * m.mc_error for m in honest) < 1e-12


def test_every_wrong_way_is_caught(sound):
    wrong = {m.method: m for m in sound if m.contrast}
    assert len(wrong) == 3
    assert wrong["same rollouts select and score"].verdict == "missed"
    assert wrong["rollouts resampled"].verdict == "missed"
    assert wrong["same rollouts select and score"].value > 0.05


def test_scoring_a_selection_on_the_rollouts_that_made_it_is_caught(monkeypatch):
    honest = batch._sums

    def all_rollouts_score(n, m):
        pmf, _ = honest(n, m)
        return pmf, np.repeat(np.arange(n + 1.0)[:, None] / n, m + 1, axis=1)

    monkeypatch.setattr(batch, "_sums", all_rollouts_score)
    planted = crossfit_bias(own_rollouts=5)
    assert planted.verdict == "missed"
    assert planted.value > SURPRISE * planted.mc_error + 0.02


def test_favouring_the_first_of_tied_candidates_is_caught(monkeypatch):
    def first_wins(below, at, tied=None):
        upto, chances = below + at, np.ones_like(at)
        for a in range(len(at)):
            for b in range(len(at)):
                if b != a:
                    chances[a] *= below[b] if b < a else upto[b]
        return chances

    monkeypatch.setattr(batch, "win_probabilities", first_wins)
    planted = crossfit_bias(own_rollouts=1)
    assert planted.verdict == "missed"
    assert planted.value > SURPRISE * planted.mc_error + 0.002


def test_resampling_rollouts_before_the_split_is_caught(monkeypatch):
    honest = bias_module.crossfit_many

    def resampled(outcomes, m):
        places = np.random.default_rng(m).integers(0, 10, outcomes.shape)
        return honest(np.take_along_axis(outcomes, places, axis=2), m)

    monkeypatch.setattr(bias_module, "crossfit_many", resampled)
    assert crossfit_bias(own_rollouts=5).verdict == "missed"


def test_not_cross_fitting_the_original_is_caught():
    measured = list(failure_bias.failure_bias(failure_bias.simulated_contenders(), 12))
    shared = find(measured, method="original not cross-fitted")
    assert shared.verdict == "missed"
    assert shared.value > SURPRISE * shared.mc_error
    for one in measured:
        assert one.contrast or abs(one.value) <= SURPRISE * one.mc_error + 1e-12


def two_sided(quantity, *, per_task=1, clusters):
    measured = list(coverage(simulated.successes(300), 120, per_task))
    quantity = f"{quantity}, two-sided"
    return find(measured, method="bootstrap_t", quantity=quantity, failures=60, clusters=clusters)


def test_a_bootstrap_of_rollouts_instead_of_failures_is_caught(monkeypatch):
    """Rollout noise is about half of the variance: intervals from it alone are too short."""
    honest = inference._studentising

    def rollout_noise_alone(data, counts):
        means, spread = honest(data, counts)
        return data.mean + np.sqrt(0.5) * (means - data.mean), spread

    assert two_sided("control gap", clusters=60).value > 0.92
    monkeypatch.setattr(inference, "_studentising", rollout_noise_alone)
    planted = two_sided("control gap", clusters=60)
    assert planted.verdict == "missed"
    assert planted.value < 0.89


def test_taking_failures_of_a_task_as_independent_is_caught(monkeypatch):
    assert two_sided("control gap", per_task=3, clusters=20).value > 0.92
    honest = studies.clusters_of
    monkeypatch.setattr(studies, "clusters_of", lambda failures, per_task: honest(failures, 1))
    planted = two_sided("control gap", per_task=3, clusters=20)
    assert planted.verdict == "missed"
    assert planted.value < 0.90


def test_leaving_out_the_correction_is_caught(monkeypatch):
    shape = {"method": "Holm, p by inversion", "failures": 60}
    sound = find(family_wise_error(nulls.all_equal(), 100, 1), **shape)
    assert sound.value <= 0.05
    monkeypatch.setattr(errors, "holm", lambda p: p)
    planted = find(family_wise_error(nulls.all_equal(), 100, 1), **shape)
    assert planted.verdict == "missed"
    assert planted.value > 0.1
