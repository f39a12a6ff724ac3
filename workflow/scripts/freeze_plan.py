"""Freeze the analysis plan, or record a change of it as an amendment."""

from datetime import UTC, datetime
from pathlib import Path

from repairstudy.analysis.plan import read_plan
from repairstudy.analysis.registration import read_registration, register, write_registration
from repairstudy.cli.script import git_commit, job
from repairstudy.errors import PlanError


def main(plan_file, study, traces_of_rollouts, outcomes_exist, frozen_file, progress):
    """Args: traces_of_rollouts: folders that exist as soon as a rollout has been scheduled."""
    plan = read_plan(plan_file)
    if plan.study not in (study, "any"):
        raise PlanError(f"{plan_file}: study: the plan is for '{plan.study}', this is '{study}'")
    previous = read_registration(frozen_file) if Path(frozen_file).exists() else None
    registration = register(
        plan,
        at=datetime.now(UTC),
        commit=git_commit(),
        rollouts_exist=outcomes_exist or any(Path(path).exists() for path in traces_of_rollouts),
        previous=previous,
    )
    progress.write(
        f"plan {registration.plan.plan_hash[:12]}, frozen {registration.frozen_at:%Y-%m-%d %H:%M} "
        f"UTC, {len(registration.amendments)} amendments\n"
    )
    write_registration(registration, frozen_file)


if __name__ == "__main__":
    with job(snakemake.log[0], "plan") as out:
        main(
            plan_file=snakemake.input.plan,
            study=snakemake.params.study,
            traces_of_rollouts=snakemake.params.traces,
            outcomes_exist=snakemake.params.outcomes_exist,
            frozen_file=snakemake.output.frozen,
            progress=out,
        )
