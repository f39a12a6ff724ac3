"""What evaluators and analyses are called on a page, and which kind they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from repairstudy.report.text import one_line, short_name

TARGET, BUDGET, CONTROL, REFERENCE, FURTHER = "target", "budget", "control", "reference", "further"

KIND_TITLES = {
    TARGET: "Another target",
    BUDGET: "Fewer samples",
    CONTROL: "Control",
    REFERENCE: "Reference",
    FURTHER: "Further methods",
}

OTHER_SEEDS = "@other_seeds"  # how a deployed executor's negative control ends

_FIXED = {
    "matched": ("matched selection", REFERENCE),
    "random": ("random choice", CONTROL),
    "shuffled": ("shuffled candidates", CONTROL),
    "original": ("original action", CONTROL),
    "exact_values": ("planted executor against its exact values", CONTROL),
    "greedy": ("greedy replay", TARGET),
    "solvability": ("solvability oracle", TARGET),
    "planner": ("planner", TARGET),
    "judge": ("LLM judge", TARGET),
    "accept_2_of_3": ("2-of-3 acceptance", BUDGET),
    "flip_1": ("single-replay flip", BUDGET),
    "earliest_success": ("earliest single success", BUDGET),
    "latest_significant": ("latest significant step", BUDGET),
}
_WITH_ARTICLE = ("solvability", "planner", "judge")
_LATE = ("accept_2_of_3", "flip_1", "earliest_success", "latest_significant")
_TARGETS = ("greedy", "temperature", "executor", "solvability", "planner", "judge")

ANALYSES = {
    "losses": "Selection losses at the primary position",
    "failure_scope": "Selection losses when position and candidate are chosen together",
    "positive_control": "Positive control",
    "negative_control": "Negative controls",
    "budget_curve": "Value of own rollouts",
    "equivalent_budget": "Equivalent budgets",
    "decomposition": "Target and budget parts of the losses",
    "split_scheme": "Split schemes of the cross-fit",
    "exact": "Exact values",
    "location_labels": "Agreement on the decisive position",
    "method_ranking": "Ranking of candidate sources",
    "disagreement": "Disagreements, measured afresh",
    "candidate_set": "The candidate set as the bottleneck",
    "validity": "Validity of the executors",
    "greedy_replay": "Agreement of greedy runs",
    "sensitivity": "Losses under other tests",
    "adaptive": "Rollouts spent where they tell most",
    "hybrid": "Cheap scores as a prior for own rollouts",
    "certificate": "Certificates of small losses",
    "by_label": "Losses by what went wrong",
    "label_agreement": "Labels of a language model against the detectors'",
}


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator on a page. `order` sorts evaluators within a kind."""

    name: str
    label: str
    kind: str
    order: tuple[int, str, int]


def evaluator(name: str) -> Evaluator:
    """How an evaluator is shown."""
    if name in _FIXED:
        label, kind = _FIXED[name]
        return Evaluator(name, label, kind, (_rank(name), name, 0))
    if own := re.fullmatch(r"own_(\d+)", name):
        number = int(own[1])
        label = f"{number} own rollout" + ("" if number == 1 else "s")
        return Evaluator(name, label, BUDGET, (0, "", number))
    if cooler := re.fullmatch(r"temperature_(\d[\d.]*)", name):
        return Evaluator(name, f"temperature {cooler[1]}", TARGET, (_rank(name), name, 0))
    if other := re.fullmatch(r"executor:(.+?)(?:@(\w+))?", name, re.DOTALL):
        return _executor(name, short_name(other[1], 28), other[2])
    if spent := re.fullmatch(r"(\w+)@(cost_)?(\d[\d.]*)", name):
        return _allocation(name, *spent.groups())
    return Evaluator(name, one_line(name.replace("_", " "), 40), FURTHER, (0, name, 0))


def _executor(name: str, executor: str, how: str | None) -> Evaluator:
    if how is None:
        return Evaluator(
            name, f"{executor}, all rollouts", TARGET, (_rank("executor"), executor, 0)
        )
    if not how.isdigit():
        return Evaluator(name, f"{executor}, {how.replace('_', ' ')}", CONTROL, (9, executor, 0))
    label = f"{executor}, {how} rollout{'s' * (how != '1')}"
    return Evaluator(name, label, TARGET, (_rank("executor"), executor, 1))


def _allocation(name: str, rule: str, stops: str | None, setting: str) -> Evaluator:
    """A rule with its budget a candidate, or the opportunity cost at which it stops."""
    label = f"cost {setting}" if stops else f"{setting} a candidate"
    place = 100 - int(100 * float(setting)) if stops else int(float(setting))
    return Evaluator(name, f"{rule.replace('_', ' ')}, {label}", FURTHER, (1, rule, place))


def _rank(name: str) -> int:
    if name in _LATE:
        return 1 + _LATE.index(name)
    family = re.split(r"[_:]", name)[0]
    return _TARGETS.index(family) if family in _TARGETS else 8


def in_order(names: list[str]) -> list[Evaluator]:
    """Evaluators as figures and tables list them: by kind, then by what they do."""
    kinds = list(KIND_TITLES)
    return sorted(
        map(evaluator, dict.fromkeys(names)), key=lambda item: (kinds.index(item.kind), item.order)
    )


def spoken(name: str) -> str:
    """The evaluator as a sentence names it: "the planner", "5 rollouts of NAME"."""
    shown = evaluator(name)
    if name in _WITH_ARTICLE:
        return f"the {shown.label}"
    if executor_of(name) is not None and shown.kind == TARGET:
        executor, _, how = shown.label.rpartition(", ")
        return f"{how} of {executor}"
    return shown.label


def executor_of(name: str) -> str | None:
    """The executor behind an evaluator of other rollouts (`executor:NAME`, `executor:NAME@5`)."""
    found = re.fullmatch(r"executor:(.+?)(@\w+)?", name, re.DOTALL)
    return found[1] if found else None
