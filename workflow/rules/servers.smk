"""What is recorded of standing servers before their first rollout."""


rule identify_server:
    input:
        plan=rules.freeze_plan.output.frozen,
    output:
        record=RESULTS / "servers" / "{model}.json",
    log:
        LOGS / "identify_server" / "{model}.log",
    conda:
        ENVIRONMENT
    params:
        config=config,
    message:
        "Asking the server of {wildcards.model} which model it has"
    script:
        "../scripts/identify_server.py"
