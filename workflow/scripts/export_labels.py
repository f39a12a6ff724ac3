"""Write a study's repair labels as a data set that others can use: Parquet, JSON Lines, a card."""

from pathlib import Path

from repairstudy.analysis.export import (
    FAILED_RUNS,
    REPAIR_LABELS,
    data_card,
    failed_runs,
    repair_labels,
)
from repairstudy.cli.script import job
from repairstudy.report import load_frames
from repairstudy.report.study import study_of
from repairstudy.store import replacing, write_table
from repairstudy.store.jsonl import write_jsonl


def main(database, out, log):
    frames = load_frames(database)
    level = study_of(frames).level
    labels, runs = repair_labels(frames, level), failed_runs(frames)
    for frame, table in ((labels, REPAIR_LABELS), (runs, FAILED_RUNS)):
        write_table(frame, Path(out) / f"{table.name}.parquet", table)
        write_jsonl(frame, Path(out) / f"{table.name}.jsonl", table)
    with replacing(Path(out) / "README.md") as temporary:
        temporary.write_text(data_card(frames, labels, runs, level), encoding="utf-8")
    log.write(f"{labels.height:,} labels of {runs.height:,} failed runs\n")


if __name__ == "__main__":
    with job(snakemake.log[0], "export") as log:
        main(
            database=snakemake.input.database,
            out=snakemake.output.export,
            log=log,
        )
