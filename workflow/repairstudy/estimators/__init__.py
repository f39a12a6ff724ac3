"""Estimators of repair selection: pure functions of outcome arrays, without files or configuration.

Selection and evaluation never share a rollout. Every expectation over splits, ties and subsets is
exact unless the name says otherwise (``random_splits``, the bootstrap). Importing needs NumPy;
SciPy's special functions are loaded by the two functions that use them.
"""

from repairstudy.estimators.acceptance import acceptance
from repairstudy.estimators.agreement import cohen_kappa, exact_agreement, kendall_tau
from repairstudy.estimators.allocation import (
    PerfectInformation,
    SuccessiveRejects,
    TopTwo,
    Uniform,
    next_arms,
    recommended,
)
from repairstudy.estimators.allocation_bounds import KlLucb
from repairstudy.estimators.allocation_posterior import Counts, Prior, opportunity_cost
from repairstudy.estimators.allocation_replay import (
    Stop,
    replay_known,
    replay_stored,
    shuffled,
)
from repairstudy.estimators.batch import (
    acceptance_many,
    argmax_weights_many,
    budget_curves,
    crossfit_many,
    fixed_values,
    subsample_weights_many,
)
from repairstudy.estimators.budget import equivalent_budget, equivalent_budgets
from repairstudy.estimators.crossfit import budget_curve, common_splits, crossfit, random_splits
from repairstudy.estimators.exact import exact_external, exact_value
from repairstudy.estimators.external import argmax_weights, fixed_value, subsample_weights
from repairstudy.estimators.failure_scope import (
    FailureSelected,
    Position,
    crossfit_failure,
    earliest_success,
    exact_failure,
    fixed_failure,
    latest_significant,
)
from repairstudy.estimators.hybrid import blended, candidate_priors
from repairstudy.estimators.hypotheses import (
    PositiveControl,
    holm,
    p_centred,
    p_inversion,
    p_sign_flip,
    p_t,
    positive_control,
)
from repairstudy.estimators.inference import (
    Interval,
    bootstrap_t_interval,
    cluster_bootstrap,
    percentile_interval,
    t_interval,
)
from repairstudy.estimators.laws import Law, binomial_law, subset_law
from repairstudy.estimators.power import failures_needed, minimal_detectable_effect
from repairstudy.estimators.tournament import Selected, tournament

__all__ = [
    "Counts",
    "FailureSelected",
    "Interval",
    "KlLucb",
    "Law",
    "PerfectInformation",
    "Position",
    "PositiveControl",
    "Prior",
    "Selected",
    "Stop",
    "SuccessiveRejects",
    "TopTwo",
    "Uniform",
    "acceptance",
    "acceptance_many",
    "argmax_weights",
    "argmax_weights_many",
    "binomial_law",
    "blended",
    "bootstrap_t_interval",
    "budget_curve",
    "budget_curves",
    "candidate_priors",
    "cluster_bootstrap",
    "cohen_kappa",
    "common_splits",
    "crossfit",
    "crossfit_failure",
    "crossfit_many",
    "earliest_success",
    "equivalent_budget",
    "equivalent_budgets",
    "exact_agreement",
    "exact_external",
    "exact_failure",
    "exact_value",
    "failures_needed",
    "fixed_failure",
    "fixed_value",
    "fixed_values",
    "holm",
    "kendall_tau",
    "latest_significant",
    "minimal_detectable_effect",
    "next_arms",
    "opportunity_cost",
    "p_centred",
    "p_inversion",
    "p_sign_flip",
    "p_t",
    "percentile_interval",
    "positive_control",
    "random_splits",
    "recommended",
    "replay_known",
    "replay_stored",
    "shuffled",
    "subsample_weights",
    "subsample_weights_many",
    "subset_law",
    "t_interval",
    "tournament",
]
