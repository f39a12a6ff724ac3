"""The sections of the report after its verdicts: what each explains, shows and tabulates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from repairstudy.report.adaptive_section import LEAD as FEWER_LEAD
from repairstudy.report.adaptive_section import has_fewer_rollouts
from repairstudy.report.certificates_section import certificates_lead
from repairstudy.report.failure_labels import AGREEMENT
from repairstudy.report.failure_labels import LEAD as LABELS_LEAD
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.grids import Grid, losses_grid, statistics_grid
from repairstudy.report.study import study_of


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, an explanation, figures by name, tables; `missing` is said if there are none."""

    anchor: str
    title: str
    lead: str
    figures: Sequence[str] = ()
    grids: Sequence[Grid] = field(default_factory=tuple)
    missing: str = ""


def sections(frames: Frames) -> list[Section]:
    """In the order of the page; exact values have a section only where there are some."""
    return [
        _losses(frames),
        _budgets(frames),
        _cheap(frames),
        _mismatch(frames),
        *([_exact(frames)] if statistics(frames, "exact").height else []),
        _controls(frames),
        _locations(frames),
        _ranking(frames),
        _candidates(frames),
        *([_fewer_rollouts(frames)] if has_fewer_rollouts(frames) else []),
        *([_certificates(frames)] if statistics(frames, "certificate").height else []),
        *([_by_label(frames)] if _labelled(frames) else []),
    ]


def _tables(frames: Frames, *wanted: tuple[str, str]) -> list[Grid]:
    """A folded table for each analysis that has rows: (title, analysis)."""
    return [
        statistics_grid(frames, title, analysis)
        for title, analysis in wanted
        if statistics(frames, analysis).height
    ]


def _losses(frames: Frames) -> Section:
    return Section(
        "losses",
        "Selection losses",
        "Matched selection lets the deployed executor's own rollouts choose, and values the choice "
        "by rollouts that did not help to choose it. The loss of an evaluator is what its choice "
        "falls short of that. Evaluators with another target measure something else than the "
        f"deployed executor's {study_of(frames).metric}; evaluators with fewer samples measure it "
        "less often.",
        ("losses", "failure_losses"),
        [
            losses_grid(frames),
            *_tables(frames, ("The same losses under other tests", "sensitivity")),
        ],
    )


def _budgets(frames: Frames) -> Section:
    return Section(
        "budgets",
        "Own rollouts, and what each evaluator is worth in them",
        "How much choosing improves with more rollouts of the deployed executor itself, and where "
        "on that curve every other evaluator stands.",
        ("budget_curve",),
        _tables(
            frames,
            ("Equivalent budgets", "equivalent_budget"),
            ("The budget curve in numbers", "budget_curve"),
        ),
    )


def _cheap(frames: Frames) -> Section:
    return Section(
        "cheap-verification",
        "Cheap verification",
        "Matched selection needs several rollouts of each candidate. How much is lost with fewer, "
        "and by rules that spend them otherwise: where the curve is flat, cheap verification is "
        "enough.",
        ("cheap_verification",),
        missing="No losses of few own rollouts: the study computes none.",
    )


def _mismatch(frames: Frames) -> Section:
    return Section(
        "mismatch",
        "Executors as evaluators of each other",
        "What is lost when one executor's rollouts choose repairs for another, and how much of it "
        "is left when both have as many rollouts.",
        ("executor_matrix", "decomposition"),
        _tables(
            frames,
            ("Parts of the losses in numbers", "decomposition"),
            ("Disagreements, settled by fresh rollouts", "disagreement"),
        ),
    )


def _exact(frames: Frames) -> Section:
    return Section(
        "exact",
        "Estimates against exact values",
        "Where an executor's action probabilities are known, dynamic programming gives the exact "
        "value of every candidate, and with it the exact loss of every evaluator. It separates "
        "what an evaluator gets wrong from what it merely has too few rollouts to see.",
        ("exact_values", "mismatch_split"),
        _tables(frames, ("Exact values in numbers", "exact")),
    )


def _controls(frames: Frames) -> Section:
    return Section(
        "controls",
        "Controls",
        "What must differ from zero for a pool to say anything, what must not differ from zero, "
        "and how little the way of splitting the rollouts matters.",
        ("positive_control",),
        _tables(
            frames,
            ("Positive control", "positive_control"),
            ("Negative controls", "negative_control"),
            ("Greedy runs that disagree with themselves", "greedy_replay"),
            ("Ways to split the rollouts", "split_scheme"),
        ),
    )


def _locations(frames: Frames) -> Section:
    return Section(
        "locations",
        "Repair-location labels",
        "Which step of a failure was the decisive one depends on whose rollouts decide.",
        ("location_labels",),
        _tables(frames, ("Agreement in numbers", "location_labels")),
        missing="No location labels: they need failures with several positions, scored by at "
        "least two executors.",
    )


def _ranking(frames: Frames) -> Section:
    return Section(
        "ranking",
        "Ranking of candidate sources",
        "Which proposer of repairs looks best also depends on whose rollouts judge.",
        ("method_ranking",),
        _tables(frames, ("The ranking in numbers", "method_ranking")),
        missing="No ranking: candidates have fewer than two sources.",
    )


def _candidates(frames: Frames) -> Section:
    return Section(
        "candidates",
        "Candidates",
        "How many distinct repairs there were to choose from, and whether the set itself is the "
        "bottleneck: the best of the set, cross-fitted, against the privileged action.",
        ("candidate_counts",),
        _tables(frames, ("Best of the set against the privileged action", "candidate_set")),
        missing="The study has no candidates.",
    )


def _certificates(frames: Frames) -> Section:
    return Section(
        "certificates",
        "Certificates",
        certificates_lead(frames),
        (),
        _tables(frames, ("Certificates in numbers", "certificate")),
    )


def _labelled(frames: Frames) -> bool:
    return any(statistics(frames, name).height for name in ("by_label", "label_agreement"))


def _by_label(frames: Frames) -> Section:
    return Section(
        "by-label",
        "Losses by what went wrong",
        LABELS_LEAD + (AGREEMENT if statistics(frames, "label_agreement").height else ""),
        (),
        _tables(
            frames,
            ("Losses among the failures with a label", "by_label"),
            ("Agreement of a language model with the rules", "label_agreement"),
        ),
    )


def _fewer_rollouts(frames: Frames) -> Section:
    return Section(
        "fewer-rollouts",
        "Fewer rollouts",
        FEWER_LEAD,
        ("rollouts_spent", "hybrid_value"),
        _tables(
            frames,
            ("Rollouts spent where they tell most, in numbers", "adaptive"),
            ("Cheap scores as a prior, in numbers", "hybrid"),
        ),
    )
