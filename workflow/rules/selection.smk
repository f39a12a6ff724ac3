"""Scores, exact values, and each evaluator's cross-fitted selection."""


rule merge_rollouts:
    input:
        stages=expand(WORK / "{stage}" / "rollouts.parquet", stage=STAGES),
        candidates=rules.merge_candidates.output.candidates,
        policies=expand(RESULTS / "policies" / "{executor}.parquet", executor=MEMORYLESS_EXECUTORS),
    output:
        rollouts=RESULTS / "rollouts.parquet",
        executors=RESULTS / "executors.parquet",
        infrastructure=RESULTS / "infrastructure.parquet",
        times=RESULTS / "times.json",
    log:
        LOGS / "merge_rollouts.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        cache=STUDY.cache,
    message:
        "Writing the study's rollouts and executors"
    script:
        "../scripts/merge_rollouts.py"


rule exact_values:
    input:
        **SITUATIONS,
        policies=expand(RESULTS / "policies" / "{executor}.parquet", executor=MEMORYLESS_EXECUTORS),
    output:
        exact=RESULTS / "exact_values.parquet",
    log:
        LOGS / "exact_values.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        executors=MEMORYLESS_EXECUTORS,
    message:
        "Computing exact values of the memoryless executors by dynamic programming"
    script:
        "../scripts/exact_values.py"


rule select_repairs:
    input:
        failures=rules.make_pools.output.failures,
        trajectories=rules.sample_positions.output.trajectories,
        positions=rules.sample_positions.output.positions,
        candidates=rules.merge_candidates.output.candidates,
        reachability=rules.merge_candidates.output.reachability,
        judgements=rules.judge.output.judgements,
        rollouts=rules.merge_rollouts.output.rollouts,
        executors=rules.merge_rollouts.output.executors,
        plan=rules.freeze_plan.output.frozen,
    output:
        scores=RESULTS / "scores.parquet",
        selections=RESULTS / "selections.parquet",
        values=RESULTS / "values.parquet",
    log:
        LOGS / "select_repairs.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Letting every evaluator choose, and valuing its choice on held-out rollouts"
    script:
        "../scripts/select_repairs.py"
