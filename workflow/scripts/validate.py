"""Measure one part of the validation."""

import json
from pathlib import Path

from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.store import write_table
from repairstudy.validation.measurement import validation_frame
from repairstudy.validation.suite import measure


def main(part, distributions, scale, out):
    stored = json.loads(Path(distributions).read_text(encoding="utf-8"))
    write_table(validation_frame(measure(part, stored, scale)), out, TABLES["validation"])


if __name__ == "__main__":
    with job(snakemake.log[0], snakemake.wildcards.part):
        main(
            part=snakemake.wildcards.part,
            distributions=snakemake.input.distributions,
            scale=snakemake.params.scale,
            out=snakemake.output.part,
        )
