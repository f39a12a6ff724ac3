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


if LABELLER:

    rule label_failures:
        input:
            checkpoint=ancient(local_checkpoint(LABELLER)),
            server=server_record(LABELLER),
            failures=RESULTS / "failures.parquet",
            trajectories=RESULTS / "trajectories.parquet",
            steps=RESULTS / "steps.parquet",
            positions=RESULTS / "positions.parquet",
            candidates=RESULTS / "candidates.parquet",
        output:
            labels=RESULTS / "llm_labels.parquet",
        log:
            LOGS / "label_failures.log",
        benchmark:
            LOGS / "label_failures.benchmark.tsv"
        conda:
            ENVIRONMENT
        threads: server_threads(LABELLER)
        resources:
            gpu=lambda wildcards: model_gpus(LABELLER),
            mem_mb=lambda wildcards, attempt: model_mem_mb(LABELLER, attempt),
            runtime=240,
        params:
            config=config,
            weights=lambda wildcards: weights_stamp(LABELLER),
        message:
            "Asking a language model what went wrong in each failure"
        script:
            "../scripts/label_failures.py"
