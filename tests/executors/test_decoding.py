"""Decoding on stored distributions, against the definitions."""

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.errors import EngineError
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, draw, validity_mass

# All different: which of two equal choices is dropped is a matter of its own (test_ties)
LOGPROBS = st.lists(st.integers(-300, 0).map(lambda n: n / 20), min_size=1, max_size=8, unique=True)
DECODINGS = st.builds(
    Decoding,
    temperature=st.floats(0.05, 3.0),
    top_p=st.floats(0.01, 1.0),
    top_k=st.integers(0, 9),
)


def by_definition(logprobs, decoding):
    """Softmax; the k most likely; the fewest of these whose sum exceeds or reaches p; renormalise.

    Written from the definition of nucleus sampling, from the most likely down.
    """
    scores = [value / decoding.temperature for value in logprobs]
    top = max(scores)
    ranked = sorted(range(len(scores)), key=lambda i: (scores[i], i), reverse=True)
    if decoding.top_k:
        weakest = sorted(scores, reverse=True)[: decoding.top_k][-1]
        ranked = [i for i in ranked if scores[i] >= weakest]
    weights = {i: math.exp(scores[i] - top) for i in ranked}
    total = sum(weights.values())
    sums = list(accumulate(weights[i] / total for i in ranked))
    kept = ranked
    if decoding.top_p < 1:
        enough = next((n for n, s in enumerate(sums) if s >= decoding.top_p), len(sums) - 1)
        kept = ranked[: enough + 1]
    mass = sum(weights[i] for i in kept)
    return [weights[i] / mass if i in kept else 0.0 for i in range(len(scores))]


@given(LOGPROBS, DECODINGS)
def test_sampling_follows_the_definition(logprobs, decoding):
    found = action_probabilities(logprobs, decoding)
    assert found == pytest.approx(by_definition(logprobs, decoding), abs=1e-12)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_hand_computed_values():
    logprobs = [math.log(p) for p in (0.4, 0.2, 0.1, 0.02)]
    assert action_probabilities(logprobs, Decoding(1.0, 1.0)) == pytest.approx(
        [40 / 72, 20 / 72, 10 / 72, 2 / 72]
    )
    assert action_probabilities(logprobs, Decoding(0.5, 1.0)) == pytest.approx(
        [1600 / 2104, 400 / 2104, 100 / 2104, 4 / 2104]
    )
    # 2/72 < 0.05 goes; with 10/72 too, more than 0.05 would go
    assert action_probabilities(logprobs, Decoding(1.0, 0.95)) == pytest.approx(
        [4 / 7, 2 / 7, 1 / 7, 0]
    )
    assert action_probabilities(logprobs, Decoding(1.0, 1.0, top_k=2)) == pytest.approx(
        [2 / 3, 1 / 3, 0, 0]
    )
    # top-p looks at what top-k left: 2/3 alone reaches 0.6
    assert action_probabilities(logprobs, Decoding(1.0, 0.6, top_k=2)).tolist() == [1, 0, 0, 0]


def test_temperature_zero_is_the_arg_max_and_nothing_else():
    logprobs = [-1.2, -1.1, -5.0]
    assert action_probabilities(logprobs, Decoding(0.0, 0.95)).tolist() == [0, 1, 0]
    assert action_probabilities(logprobs, Decoding(0.7, 0.95)).tolist() != [0, 1, 0]


def test_ties():
    tied = [math.log(0.25)] * 4
    assert action_probabilities(tied, Decoding(0.0)).tolist() == [1, 0, 0, 0]
    assert action_probabilities(tied, Decoding(0.7, 1.0, top_k=1)).tolist() == [0.25] * 4
    assert action_probabilities(tied, Decoding(1.0, 0.75)) == pytest.approx(
        [0, 1 / 3, 1 / 3, 1 / 3]
    )


def test_the_most_likely_is_never_dropped():
    assert action_probabilities([-3.0, -1.0], Decoding(1.0, 1e-6)).tolist() == [0, 1]


def test_impossible_choices_keep_no_probability():
    assert action_probabilities([-math.inf, -2.0], Decoding(0.7)).tolist() == [0, 1]


@pytest.mark.parametrize("logprobs", [[], [-math.inf, -math.inf], [-1.0, math.nan], [math.inf]])
def test_no_choice_at_all_is_the_engines_error(logprobs):
    with pytest.raises(EngineError, match="allow no choice"):
        action_probabilities(logprobs, Decoding())


def test_draws_follow_the_probabilities():
    probabilities = [0.0, 0.5, 0.3, 0.0, 0.2, 0.0]
    counts = np.bincount([draw(probabilities, seed) for seed in range(20_000)], minlength=6)
    expected = 20_000 * np.array(probabilities)
    assert counts[expected == 0].tolist() == [0, 0, 0]
    chi_square = ((counts - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
    assert chi_square < 13.8  # 99.9 % of a chi-square with 2 degrees of freedom


def test_a_draw_is_a_function_of_its_seed():
    probabilities = [0.25] * 4
    assert [draw(probabilities, seed) for seed in range(8)] == [2, 3, 2, 2, 3, 1, 2, 2]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6).filter(any), st.integers(0, 2**63 - 1))
def test_a_draw_always_has_positive_probability(probabilities, seed):
    assert probabilities[draw(probabilities, seed)] > 0


def test_validity_mass_is_the_unconstrained_sum():
    assert validity_mass([math.log(0.5), math.log(0.2), -math.inf]) == pytest.approx(0.7)
