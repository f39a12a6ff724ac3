"""Whether a study measures what its plan tests: told before the first rollout, not at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairstudy.analysis.plan import SCORED, Family, Plan, read_plan
from repairstudy.checked import meant
from repairstudy.errors import PlanError


def read_plan_of(path: str | Path, study: str) -> Plan:
    """The plan of the study of that name.

    Raises:
        ConfigError: the file is no plan.
        PlanError: it is that of another study.
    """
    plan = read_plan(path)
    if plan.study not in (study, "any"):
        raise PlanError(
            f"{path}: study: the plan is for '{plan.study}', this is '{study}'; a plan for any "
            "study says 'any'"
        )
    return plan


def require_testable(plan: Plan, settings: Mapping[str, Any], path: str | Path) -> None:
    """Refuse a plan that a study of these settings cannot carry out.

    Raises:
        PlanError: a line for each hypothesis about what is not measured.
    """
    problems = untestable(plan, settings)
    if problems:
        raise PlanError("\n".join(f"{path}: {problem}" for problem in problems))


def untestable(plan: Plan, settings: Mapping[str, Any]) -> list[str]:
    """Hypotheses about pools or evaluators that the study does not have; a line each.

    Args:
        settings: as `config.frozen_settings` makes them. Those of outcomes made elsewhere name no
            pools and no evaluators: what their table holds is known when it is read.
    """
    pools, evaluators = settings.get("pools", {}), settings.get("evaluators", {})
    if not pools:
        return []
    return [line for family in plan.families for line in _lines(family, pools, evaluators)]


def _lines(
    family: Family, pools: Mapping[str, Any], evaluators: Mapping[str, Any]
) -> Iterator[str]:
    key = f"families.{family.name}"
    if family.pool not in pools:
        listed = ", ".join(pools)
        yield (
            f"{key}.pool: the study has no pool '{family.pool}'{meant(family.pool, pools)} "
            f"(pools: {listed})"
        )
        return
    for name in family.evaluators:
        measured = name.partition("@")[0]
        if not measured.startswith(("executor:", "temperature_")) and measured not in SCORED:
            continue  # by own rollouts alone, which every study has
        settings = evaluators.get(measured)
        if settings is None:
            known = ", ".join(evaluators)
            close = meant(name, evaluators)
            yield f"{key}.evaluators: the study has no '{name}'{close} (it has {known})"
        elif not settings.get("rollouts", settings.get("used", True)):
            yield f"{key}.evaluators: the study's evaluators leave out '{name}'"
        elif settings.get("pools") and family.pool not in settings["pools"]:
            yield f"{key}.evaluators: '{name}' does not evaluate pool {family.pool}"
