"""Recompute every table of a study from the rollout cache, and compare with its database."""

from repairstudy.cli.recompute import computed_tables
from repairstudy.cli.script import job
from repairstudy.cli.verification import differences, hash_problems, report
from repairstudy.report import load_frames


def verify(stored, computed, out):
    report(stored, differences(stored, computed), (), hash_problems(stored), out)


def files_of(stored, validation):
    """Where tables lie that rules of no study make; a database without them is one all the same."""
    measured = stored.get("validation")
    return {} if measured is None or measured.is_empty() else {"validation": validation}


if __name__ == "__main__":
    with job(snakemake.log[0], "verify") as out:
        stored = load_frames(snakemake.params.database)
        computed = computed_tables(
            config=snakemake.params.config,
            settings=snakemake.params.settings,
            scripts=snakemake.scriptdir,
            results=snakemake.params.results,
            witness=snakemake.params.witness,
            files=files_of(stored, snakemake.params.validation),
        )
        verify(stored, computed, out)
