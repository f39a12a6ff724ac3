"""Pre-registered statistics, and the one database that everything downstream reads."""

TABLES = {
    name: RESULTS / f"{name}.parquet"
    for name in (
        "executors",
        "trajectories",
        "steps",
        "failures",
        "positions",
        "candidates",
        "proposals",
        "rollouts",
        "scores",
        "selections",
        "values",
        "exact_values",
    )
}


rule compute_statistics:
    input:
        **TABLES,
        plan=rules.freeze_plan.output.frozen,
    output:
        results=RESULTS / "results.parquet",
    log:
        LOGS / "compute_statistics.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Testing the hypotheses of the frozen plan; everything else is exploratory"
    script:
        "../scripts/compute_statistics.py"


rule build_database:
    input:
        **TABLES,
        results=rules.compute_statistics.output.results,
        plan=rules.freeze_plan.output.frozen,
        times=[] if FROM_OUTCOMES else RESULTS / "times.json",
    output:
        database=RESULTS / "study.duckdb",
    log:
        LOGS / "build_database.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        tables=[*TABLES, "results"],
    message:
        "Building {output.database}"
    script:
        "../scripts/build_database.py"
