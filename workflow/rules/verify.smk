"""Whether a finished study's database is what its rollouts say."""


# The name that users type has a hyphen, which only the directive allows. Nothing is an input: what
# lies there is verified as it is, and nothing is made anew first.
rule:
    name:
        "verify-results"
    log:
        LOGS / "verify_results.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        config=config,
        settings=SETTINGS,
        results=RESULTS,
        witness=WITNESS,
        database=RESULTS / "study.duckdb",
        validation=MEASURED,
    message:
        "Recomputing every table from the rollouts, and comparing with {params.database}"
    script:
        "../scripts/verify_results.py"
