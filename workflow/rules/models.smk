"""Models that the workflow makes itself. Retraining the policy LMs is never part of a study."""


rule prepare_smollm2:
    output:
        SMOLLM2,
    log:
        "results/logs/prepare_smollm2.log",
    conda:
        ENVIRONMENT
    params:
        python=".venv-vllm/bin/python",
    message:
        "Converting SmolLM2-135M-Instruct (Q4_1 weights) to a Hugging Face checkpoint"
    shell:
        "{params.python} workflow/scripts/prepare_smollm2.py"
        " --output $(dirname {output}) > {log} 2>&1"


rule train_policy:
    output:
        directory("results/policy-lms/{kind}"),
    log:
        "results/logs/train_policy.{kind}.log",
    wildcard_constraints:
        kind="weak|strong",
    conda:
        ENVIRONMENT
    params:
        python=".venv-vllm/bin/python",
    message:
        "Training the {wildcards.kind} policy LM on planner traces"
    shell:
        "{params.python} workflow/scripts/train_policy.py --kind {wildcards.kind} --out {output}"
        " > {log} 2>&1"
