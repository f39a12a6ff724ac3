"""Whether the environment's reward can be trusted: of a study, or of any installed environment."""

# `snakemake audit` looks at more than a study does, which only makes sure.
AUDIT_TASKS, AUDIT_PLANTED_TASKS = 24, 4
AUDIT_RESULTS = Path(STUDY.results) / "audit"

if not FROM_OUTCOMES:

    rule audit_study:
        input:
            world=ancient(environment_data),
        output:
            audit=RESULTS / "audit.parquet",
        log:
            LOGS / "audit_study.log",
        conda:
            ENVIRONMENT
        params:
            environment=STUDY.environment.model_dump(),
            tasks=STUDY.audit.tasks,
            planted_tasks=2 if STUDY.audit.planted else 0,
            seed=STUDY.seed,
        message:
            "Auditing how the study's environment scores"
        script:
            "../scripts/audit_environment.py"


if AUDITED is not None:

    rule audit_environment:
        input:
            world=ancient(data_of(AUDITED)),
        output:
            audit=AUDIT_RESULTS / AUDITED.name / "checks.csv",
            planted=AUDIT_RESULTS / AUDITED.name / "planted.csv",
            page=AUDIT_RESULTS / AUDITED.name / "audit.md",
        log:
            AUDIT_RESULTS / AUDITED.name / "audit.log",
        conda:
            ENVIRONMENT
        params:
            environment=AUDITED.model_dump(),
            tasks=AUDIT_TASKS,
            planted_tasks=AUDIT_PLANTED_TASKS,
            seed=STUDY.seed,
        message:
            "Auditing how {params.environment[name]} scores, and what the audit itself would miss"
        script:
            "../scripts/audit_environment.py"

    # It makes nothing, so it always runs: it shows the page, and fails if a check did.
    rule audit:
        input:
            **rules.audit_environment.output,
        log:
            AUDIT_RESULTS / AUDITED.name / "verdict.log",
        conda:
            ENVIRONMENT
        message:
            "The audit of {AUDITED.name}: {input.page}"
        shell:
            "cat {input.page} | tee {log}; ! grep -q '^[^,]*,[^,]*,false,' {input.audit}"

else:

    rule audit:
        log:
            AUDIT_RESULTS / "verdict.log",
        conda:
            ENVIRONMENT
        message:
            "This study has no environment: name one"
        shell:
            "echo 'audit: the outcomes of this study were made elsewhere; name an environment by"
            " --config environment={{name: NAME, options: {{...}}}}' | tee {log} >&2; exit 1"
