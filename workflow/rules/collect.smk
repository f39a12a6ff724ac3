"""Failures: action distributions, collected runs, and the positions to be repaired."""


rule action_distributions:
    input:
        plan=rules.freeze_plan.output.frozen,
        checkpoint=ancient(local_checkpoint),
        world=ancient(environment_data),
        servers=executing_servers,
    output:
        policy=RESULTS / "policies" / "{executor}.parquet",
    log:
        LOGS / "action_distributions" / "{executor}.log",
    benchmark:
        LOGS / "action_distributions" / "{executor}.benchmark.tsv"
    conda:
        ENVIRONMENT
    threads: server_threads
    resources:
        gpu=model_gpus,
        mem_mb=model_mem_mb,
        runtime=240,
    params:
        config=config,
        weights=weights_stamp,
    message:
        "Asking {wildcards.executor} once for its next action at every distinct prompt"
    script:
        "../scripts/action_distributions.py"


import re

IMPORTED = STUDY.collection.runs

if IMPORTED:

    ruleorder: import_runs > collect

    rule import_runs:
        input:
            runs=runs_made_elsewhere,
            plan=rules.freeze_plan.output.frozen,
            checkpoint=ancient(local_checkpoint),
            world=ancient(environment_data),
            servers=executing_servers,
        output:
            trajectories=RESULTS / "collected" / "{executor}.trajectories.parquet",
            steps=RESULTS / "collected" / "{executor}.steps.parquet",
            imported=RESULTS / "collected" / "{executor}.imported.parquet",
        log:
            LOGS / "import_runs" / "{executor}.log",
        wildcard_constraints:
            executor="|".join(map(re.escape, IMPORTED)),
        conda:
            ENVIRONMENT
        params:
            config=config,
            weights=weights_stamp,
        message:
            "Replaying the failed runs in {input.runs}"
        script:
            "../scripts/import_runs.py"


rule collect:
    input:
        plan=rules.freeze_plan.output.frozen,
        checkpoint=ancient(local_checkpoint),
        world=ancient(environment_data),
        servers=executing_servers,
        policy=policy_of_executor,
    output:
        trajectories=RESULTS / "collected" / "{executor}.trajectories.parquet",
        steps=RESULTS / "collected" / "{executor}.steps.parquet",
    log:
        LOGS / "collect" / "{executor}.log",
    benchmark:
        LOGS / "collect" / "{executor}.benchmark.tsv"
    conda:
        ENVIRONMENT
    threads: server_threads
    resources:
        gpu=model_gpus,
        mem_mb=model_mem_mb,
        runtime=240,
    params:
        config=config,
        weights=weights_stamp,
    message:
        "Collecting failed runs of {wildcards.executor}"
    script:
        "../scripts/collect.py"


rule sample_positions:
    input:
        trajectories=expand(
            RESULTS / "collected" / "{executor}.trajectories.parquet", executor=STUDY.deployed
        ),
        steps=expand(RESULTS / "collected" / "{executor}.steps.parquet", executor=STUDY.deployed),
        imported=expand(RESULTS / "collected" / "{executor}.imported.parquet", executor=IMPORTED),
    output:
        **({"imported": RESULTS / "imported_runs.parquet"} if IMPORTED else {}),
        trajectories=RESULTS / "trajectories.parquet",
        steps=RESULTS / "steps.parquet",
        failed=RESULTS / "collected_failures.parquet",
        positions=RESULTS / "positions.parquet",
    log:
        LOGS / "sample_positions.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Numbering the failures and sampling the steps to repair"
    script:
        "../scripts/sample_positions.py"
