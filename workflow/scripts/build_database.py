"""Build the study's one database from its tables; everything downstream only reads it."""

from repairstudy.analysis import read_registration
from repairstudy.analysis.costs import costs_of
from repairstudy.analysis.registration_file import to_frame
from repairstudy.analysis.witness import read_witness, witnessed
from repairstudy.cli.provenance import build_of, first_rollout, provenance_of
from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.store import build_database, read_table


def main(config, tables, times_file, plan_file, witness_folder, validation, audit, database):
    frames = {name: read_table(path, TABLES[name]) for name, path in tables.items()}
    witness = read_witness(witness_folder)
    registration = witnessed(
        read_registration(plan_file), witness, first_rollout(times_file), frames["executors"]
    )
    frames["preregistration"] = to_frame(registration)
    frames["costs"] = costs_of(frames["rollouts"])
    if audit:
        frames["audit"] = read_table(audit, TABLES["audit"])
    if validation:
        frames["validation"] = read_table(validation, TABLES["validation"])
    # The last one, since it holds a hash of every other.
    frames["provenance"] = provenance_of(config, frames, registration, witness, times_file)
    frames["build"] = build_of(config["study"])
    build_database(database, frames)


if __name__ == "__main__":
    with job(snakemake.log[0], "database"):
        main(
            config=snakemake.params.config,
            tables={name: snakemake.input[name] for name in snakemake.params.tables},
            times_file=snakemake.input.get("times"),
            plan_file=snakemake.input.plan,
            validation=snakemake.input.get("validation"),
            audit=snakemake.input.get("audit"),
            witness_folder=snakemake.params.witness,
            database=snakemake.output.database,
        )
