"""Every statistic of the study; what the frozen plan names is tested, the rest is exploratory."""

from repairstudy.analysis import POOL_COLUMNS, analyse, build_pools, read_registration
from repairstudy.analysis.witness import read_witness, require_settings, witnessed
from repairstudy.cli.provenance import first_rollout
from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

READ = (
    "executors", "trajectories", "failures", "positions", "candidates", "rollouts", "scores",
    "values", "exact_values", "failure_labels",
)  # fmt: skip


def main(files, plan_file, settings, witness_folder, times_file, out_results):
    columns = {"rollouts": POOL_COLUMNS}
    frames = {name: read_table(files[name], TABLES[name], columns.get(name)) for name in READ}
    llm_labels = files.get("llm_labels")
    registration = witnessed(
        read_registration(plan_file),
        read_witness(witness_folder),
        first_rollout(times_file),
        frames["executors"],
    )
    require_settings(registration, settings, plan_file)
    results = analyse(
        build_pools(frames, registration.plan.metric),
        frames["values"],
        registration,
        exact_values=frames["exact_values"],
        executors=frames["executors"],
        failure_labels=frames["failure_labels"],
        llm_labels=read_table(llm_labels, TABLES["llm_labels"]) if llm_labels else None,
    )
    write_table(results, out_results, TABLES["results"])


if __name__ == "__main__":
    with job(snakemake.log[0], "statistics"):
        main(
            files=snakemake.input,
            plan_file=snakemake.input.plan,
            settings=snakemake.params.settings,
            witness_folder=snakemake.params.witness,
            times_file=snakemake.input.get("times"),
            out_results=snakemake.output.results,
        )
