"""Work lists and cached rollouts, in three stages: screening, labels and evaluators, fresh."""

SITUATIONS = {
    "trajectories": rules.sample_positions.output.trajectories,
    "steps": rules.sample_positions.output.steps,
    "failed": rules.sample_positions.output.failed,
    "positions": rules.sample_positions.output.positions,
    "candidates": rules.merge_candidates.output.candidates,
}
WORK = RESULTS / "work"


wildcard_constraints:
    stage="|".join(STAGES),


rule plan_screening:
    input:
        **SITUATIONS,
    output:
        worklists=expand(WORK / "screen" / "{model}.parquet", model=EXECUTING_MODELS),
    log:
        LOGS / "plan_screening.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        models=EXECUTING_MODELS,
    message:
        "Listing the screening rollouts"
    script:
        "../scripts/plan_screening.py"


rule make_pools:
    input:
        failed=rules.sample_positions.output.failed,
        candidates=rules.merge_candidates.output.candidates,
        rollouts=WORK / "screen" / "rollouts.parquet",
    output:
        failures=RESULTS / "failures.parquet",
    log:
        LOGS / "make_pools.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Choosing the failures of each pool"
    script:
        "../scripts/make_pools.py"


rule plan_rollouts:
    input:
        **SITUATIONS,
        failures=rules.make_pools.output.failures,
    output:
        worklists=expand(WORK / "main" / "{model}.parquet", model=EXECUTING_MODELS),
    log:
        LOGS / "plan_rollouts.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        models=EXECUTING_MODELS,
    message:
        "Listing the rollouts that label the candidates, and those of the other evaluators"
    script:
        "../scripts/plan_rollouts.py"


rule plan_fresh:
    input:
        **SITUATIONS,
        failures=rules.make_pools.output.failures,
        rollouts=WORK / "main" / "rollouts.parquet",
    output:
        worklists=expand(WORK / "fresh" / "{model}.parquet", model=EXECUTING_MODELS),
    log:
        LOGS / "plan_fresh.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
        models=EXECUTING_MODELS,
    message:
        "Listing fresh rollouts where executors disagree on the best candidate"
    script:
        "../scripts/plan_fresh.py"


rule run_rollouts:
    input:
        plan=rules.freeze_plan.output.frozen,
        checkpoint=ancient(local_checkpoint),
        policies=policies_of_model,
        worklist=WORK / "{stage}" / "{model}.parquet",
    output:
        summary=WORK / "{stage}" / "{model}.json",
    log:
        LOGS / "run_rollouts" / "{stage}.{model}.log",
    benchmark:
        LOGS / "run_rollouts" / "{stage}.{model}.benchmark.tsv"
    conda:
        ENVIRONMENT
    threads: server_threads
    resources:
        gpu=model_gpus,
        mem_mb=model_mem_mb,
        runtime=480,
    params:
        config=config,
        weights=weights_stamp,
        witness=WITNESS,
    message:
        "Running the rollouts of {wildcards.model} that the cache lacks ({wildcards.stage})"
    script:
        "../scripts/run_rollouts.py"


rule gather_rollouts:
    input:
        worklists=expand(WORK / "{{stage}}" / "{model}.parquet", model=EXECUTING_MODELS),
        done=expand(WORK / "{{stage}}" / "{model}.json", model=EXECUTING_MODELS),
    output:
        rollouts=WORK / "{stage}" / "rollouts.parquet",
    log:
        LOGS / "gather_rollouts.{stage}.log",
    conda:
        ENVIRONMENT
    params:
        cache=STUDY.cache,
    message:
        "Gathering the rollouts of stage {wildcards.stage} from the cache"
    script:
        "../scripts/gather_rollouts.py"
