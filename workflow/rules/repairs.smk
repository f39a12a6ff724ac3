"""Candidate repairs: proposals of language models, of the planner and of chance, merged."""


rule propose:
    input:
        checkpoint=ancient(local_checkpoint),
        server=server_record,
        trajectories=rules.sample_positions.output.trajectories,
        steps=rules.sample_positions.output.steps,
        failed=rules.sample_positions.output.failed,
        positions=rules.sample_positions.output.positions,
    output:
        proposals=RESULTS / "proposals" / "{proposer}.parquet",
    log:
        LOGS / "propose" / "{proposer}.log",
    benchmark:
        LOGS / "propose" / "{proposer}.benchmark.tsv"
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
        "Asking {wildcards.proposer} for repairs"
    script:
        "../scripts/propose.py"


rule merge_candidates:
    input:
        trajectories=rules.sample_positions.output.trajectories,
        steps=rules.sample_positions.output.steps,
        failed=rules.sample_positions.output.failed,
        positions=rules.sample_positions.output.positions,
        proposals=expand(
            RESULTS / "proposals" / "{proposer}.parquet",
            proposer=sorted(STUDY.candidates.proposers),
        ),
    output:
        proposals=RESULTS / "proposals.parquet",
        candidates=RESULTS / "candidates.parquet",
        reachability=RESULTS / "reachability.parquet",
    log:
        LOGS / "merge_candidates.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Merging candidates, adding the planner's and random ones, scoring them by reachability"
    script:
        "../scripts/merge_candidates.py"


rule judge:
    input:
        checkpoint=ancient(local_checkpoint),
        server=server_record,
        trajectories=rules.sample_positions.output.trajectories,
        steps=rules.sample_positions.output.steps,
        failed=rules.sample_positions.output.failed,
        positions=rules.sample_positions.output.positions,
        candidates=rules.merge_candidates.output.candidates,
    output:
        judgements=RESULTS / "judgements.parquet",
    log:
        LOGS / "judge.log",
    benchmark:
        LOGS / "judge.benchmark.tsv"
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
        "Asking the judge to rank the candidates"
    script:
        "../scripts/judge.py"
