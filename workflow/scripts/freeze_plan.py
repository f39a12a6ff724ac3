"""Freeze the analysis plan with its settings, or record a change of them as an amendment."""

from datetime import UTC, datetime
from pathlib import Path

from repairstudy.analysis import read_registration, register, write_registration
from repairstudy.analysis.testable import read_plan_of, require_testable
from repairstudy.analysis.witness import read_witness, record_registration, require_clock, settled
from repairstudy.cli.script import git_commit, job


def main(
    plan_file, study, settings, traces_of_rollouts, outcomes_exist, witness_folder, frozen_file,
    progress,
):  # fmt: skip
    """Args: traces_of_rollouts: folders that exist as soon as a rollout has been scheduled."""
    plan = read_plan_of(plan_file, study)
    frozen = read_registration(frozen_file) if Path(frozen_file).exists() else None
    witness, now = read_witness(witness_folder), datetime.now(UTC)
    require_clock(now, witness)
    exist = outcomes_exist or witness.runs or any(Path(p).exists() for p in traces_of_rollouts)
    if not exist:  # later it is an amendment, which says itself what it spoils
        require_testable(plan, settings, plan_file)
    registration = register(
        plan,
        at=now,
        commit=git_commit(),
        rollouts_exist=bool(exist),
        previous=settled(frozen, witness),
        settings=settings,
    )
    progress.write(
        f"plan {registration.plan.plan_hash[:12]}, frozen {registration.frozen_at:%Y-%m-%d %H:%M} "
        f"UTC, {len(registration.amendments)} amendments\n"
    )
    record_registration(registration, witness_folder)
    write_registration(registration, frozen_file)


if __name__ == "__main__":
    with job(snakemake.log[0], "plan") as out:
        main(
            plan_file=snakemake.input.plan,
            study=snakemake.params.study,
            settings=snakemake.params.settings,
            traces_of_rollouts=snakemake.params.traces,
            outcomes_exist=snakemake.params.outcomes_exist,
            witness_folder=snakemake.params.witness,
            frozen_file=snakemake.output.frozen,
            progress=out,
        )
