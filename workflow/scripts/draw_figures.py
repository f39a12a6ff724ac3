"""Draw every figure that the study has data for."""

from repairstudy.cli.script import job
from repairstudy.report import load_frames
from repairstudy.report.figures import draw_all


def main(database, out, log):
    paths = draw_all(load_frames(database), out)
    log.write(f"{sum(path.suffix == '.svg' for path in paths)} figures\n")


if __name__ == "__main__":
    with job(snakemake.log[0], "figures") as log:
        main(
            database=snakemake.input.database,
            out=snakemake.output.figures,
            log=log,
        )
