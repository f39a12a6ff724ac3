"""A study of outcomes made elsewhere: everything before selection is read from one table."""


rule import_outcomes:
    input:
        outcomes=STUDY.outcomes,
        plan=rules.freeze_plan.output.frozen,
    output:
        **{
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
            )
        },
    log:
        LOGS / "import_outcomes.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Reading {input.outcomes} and letting every evaluator choose"
    script:
        "../scripts/import_outcomes.py"
