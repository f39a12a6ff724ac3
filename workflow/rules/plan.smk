"""Pre-registration: the analysis plan is frozen before the first rollout is scheduled."""


rule freeze_plan:
    input:
        plan=ancient(STUDY.plan),
    output:
        # Updated in place: the first frozen plan stays, later changes become amendments.
        frozen=update(RESULTS / "preregistration.json"),
    log:
        LOGS / "freeze_plan.log",
    conda:
        ENVIRONMENT
    params:
        study=STUDY.study,
        content=content_stamp(STUDY.plan),
        outcomes_exist=FROM_OUTCOMES,
        traces=[RESULTS / "collected", LOGS / "collect", RESULTS / "work"],
    message:
        "Freezing the analysis plan {input.plan}"
    script:
        "../scripts/freeze_plan.py"
