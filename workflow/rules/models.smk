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


rule write_planner_lessons:
    output:
        lessons="results/policy-lms/{kind}.lessons.jsonl",
    log:
        "results/logs/write_planner_lessons.{kind}.log",
    wildcard_constraints:
        kind="|".join(TRAINING_STEPS),
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        layouts=LESSON_LAYOUTS,
        seed=LESSON_SEED,
    message:
        "Writing what the {wildcards.kind} policy's planner does on layouts of other seeds"
    shell:
        "{params.python} workflow/scripts/training/write_planner_lessons.py --kind {wildcards.kind}"
        " --layouts {params.layouts} --seed {params.seed} --out {output.lessons} > {log} 2>&1"


rule train_policy:
    input:
        lessons=rules.write_planner_lessons.output.lessons,
        prompt="resources/prompts/policy.txt",
    output:
        checkpoint=directory("results/policy-lms/policy-{kind}"),
    log:
        "results/logs/train_policy.{kind}.log",
    wildcard_constraints:
        kind="|".join(TRAINING_STEPS),
    conda:
        ENVIRONMENT
    params:
        python=".venv-vllm/bin/python",
        seed=TRAINING_SEED,
        steps=training_steps,
    message:
        "Training the {wildcards.kind} policy LM on planner lessons"
    shell:
        "{params.python} workflow/scripts/training/train_policy.py --lessons {input.lessons}"
        " --prompt {input.prompt} --seed {params.seed} --steps {params.steps}"
        " --out {output.checkpoint} > {log} 2>&1"


rule train_policies:
    input:
        expand(rules.train_policy.output.checkpoint, kind=TRAINING_STEPS),


localrules:
    train_policies,
