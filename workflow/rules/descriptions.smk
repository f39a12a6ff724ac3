"""What went wrong in each failure, by rules on its recorded steps; exploratory."""


rule describe_failures:
    input:
        failures=RESULTS / "failures.parquet",
        trajectories=RESULTS / "trajectories.parquet",
        steps=RESULTS / "steps.parquet",
        positions=RESULTS / "positions.parquet",
        candidates=RESULTS / "candidates.parquet",
        reachability=[] if FROM_OUTCOMES else RESULTS / "reachability.parquet",
    output:
        labels=RESULTS / "failure_labels.parquet",
    log:
        LOGS / "describe_failures.log",
    conda:
        ENVIRONMENT
    message:
        "Labelling the failures by what their steps show"
    script:
        "../scripts/describe_failures.py"
