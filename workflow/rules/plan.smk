"""Pre-registration: the analysis plan is frozen before the first rollout is scheduled."""

from repairstudy.config.frozen import frozen_settings

# What witnesses the plan lies where the rollouts are, and not where results are thrown away.
WITNESS = Path(getattr(STUDY, "cache", STUDY.results)) / "records" / STUDY.study
SETTINGS = frozen_settings(STUDY)


rule freeze_plan:
    input:
        plan=ancient(STUDY.plan),
    output:
        # Updated in place: the first frozen plan stays, later changes become amendments.
        frozen=update(RESULTS / "preregistration.json"),
    log:
        LOGS / "freeze_plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        study=STUDY.study,
        content=content_stamp(STUDY.plan),
        settings=SETTINGS,
        outcomes_exist=FROM_OUTCOMES,
        witness=WITNESS,
        traces=[RESULTS / "collected", LOGS / "collect", RESULTS / "work"],
    message:
        "Freezing the analysis plan {input.plan}"
    script:
        "../scripts/freeze_plan.py"
