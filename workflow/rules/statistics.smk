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
        "infrastructure",
        "failure_labels",
    )
}

if not FROM_OUTCOMES and STUDY.collection.runs:
    TABLES["imported_runs"] = rules.sample_positions.output.imported

if LABELLER:
    TABLES["llm_labels"] = rules.label_failures.output.labels

TIMES = [] if FROM_OUTCOMES else RESULTS / "times.json"

# What `snakemake validate` measured, if it was run. By its absolute path it is a source to
# Snakemake, so that no study ever runs the suite.
MEASURED = (Path(STUDY.results) / "validation" / "validation.parquet").absolute()


rule compute_statistics:
    input:
        **TABLES,
        plan=rules.freeze_plan.output.frozen,
        times=TIMES,
    output:
        results=RESULTS / "results.parquet",
    log:
        LOGS / "compute_statistics.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        settings=SETTINGS,
        witness=WITNESS,
    message:
        "Testing the hypotheses of the frozen plan; everything else is exploratory"
    script:
        "../scripts/compute_statistics.py"


rule build_database:
    input:
        **TABLES,
        results=rules.compute_statistics.output.results,
        plan=rules.freeze_plan.output.frozen,
        times=TIMES,
        validation=MEASURED if MEASURED.exists() else [],
        audit=[] if FROM_OUTCOMES else RESULTS / "audit.parquet",
    output:
        database=RESULTS / "study.duckdb",
    log:
        LOGS / "build_database.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        tables=[*TABLES, "results"],
        witness=WITNESS,
    message:
        "Building {output.database}"
    script:
        "../scripts/build_database.py"
