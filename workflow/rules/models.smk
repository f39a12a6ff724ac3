"""Models that the workflow makes itself. Retraining the policy LMs is never part of a study."""


rule prepare_smollm2:
    output:
        "resources/models/smollm2-135m-instruct/model.safetensors",
    log:
        "results/logs/prepare_smollm2.log",
    params:
        python=".venv-vllm/bin/python",
        folder="resources/models/smollm2-135m-instruct",
    message:
        "Converting SmolLM2-135M-Instruct (Q4_1 weights) to a Hugging Face checkpoint"
    conda:
        ENVIRONMENT
    shell:
        "{params.python} workflow/scripts/prepare_smollm2.py --out {params.folder} > {log} 2>&1"


rule train_policy:
    output:
        directory("results/policy-lms/{kind}"),
    log:
        "results/logs/train_policy.{kind}.log",
    params:
        python=".venv-vllm/bin/python",
    wildcard_constraints:
        kind="weak|strong",
    message:
        "Training the {wildcards.kind} policy LM on planner traces"
    conda:
        ENVIRONMENT
    shell:
        "{params.python} workflow/scripts/train_policy.py --kind {wildcards.kind} --out {output}"
        " > {log} 2>&1"
