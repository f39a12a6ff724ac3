"""Policy LMs for WebShop: trained on encoded observations, never as part of a study."""

import os

# What the shipped checkpoints were made with; see resources/models/README.md. The weak policy is
# the strong one stopped early, each with a learning rate that falls to zero at its own last step.
WEBSHOP_TRAINING = {
    "weak": {"teacher": "oracle", "steps": 48},
    "strong": {"teacher": "oracle", "steps": 260},
    "expert": {"teacher": "experts", "steps": 110},
}
WEBSHOP_TEACHERS = {
    "oracle": "--seed 1001 --episodes 2500",
    "experts": "--trajectories",
}
WEBSHOP_TRAINING_SEED = 3
WEBSHOP_TRAJECTORIES = (
    Path(os.environ.get("REPAIRSTUDY_DATA", "../shared/data")) / "webshop/agenttraj_413.jsonl"
)


rule write_webshop_lessons:
    input:
        catalogue="resources/webshop/small/prepared.json",
        prompt="resources/prompts/webshop/policy.txt",
        trajectories=lambda wildcards: [WEBSHOP_TRAJECTORIES] * (wildcards.teacher == "experts"),
    output:
        lessons="results/policy-lms/webshop-{teacher}.lessons.json",
    log:
        "results/logs/write_webshop_lessons.{teacher}.log",
    wildcard_constraints:
        teacher="|".join(WEBSHOP_TEACHERS),
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        teacher=lambda wildcards: WEBSHOP_TEACHERS[wildcards.teacher],
    message:
        "Writing what teacher '{wildcards.teacher}' does for WebShop's training goals, encoded"
    shell:
        "{params.python} workflow/scripts/training/webshop_lessons.py --teacher {wildcards.teacher}"
        " --catalogue $(dirname {input.catalogue}) --prompt {input.prompt}"
        " {params.teacher} {input.trajectories} --out {output.lessons} > {log} 2>&1"


rule train_webshop_policy:
    input:
        lessons=lambda wildcards: "results/policy-lms/webshop-{teacher}.lessons.json".format(
            **WEBSHOP_TRAINING[wildcards.kind]
        ),
    output:
        checkpoint=directory("results/policy-lms/webshop-{kind}"),
    log:
        "results/logs/train_webshop_policy.{kind}.log",
    wildcard_constraints:
        kind="|".join(WEBSHOP_TRAINING),
    conda:
        ENVIRONMENT
    params:
        python=".venv-vllm/bin/python",
        seed=WEBSHOP_TRAINING_SEED,
        steps=lambda wildcards: WEBSHOP_TRAINING[wildcards.kind]["steps"],
    message:
        "Training WebShop's {wildcards.kind} policy LM on encoded lessons"
    shell:
        "{params.python} workflow/scripts/training/train_webshop_policy.py --lessons {input.lessons}"
        " --seed {params.seed} --steps {params.steps} --out {output.checkpoint} > {log} 2>&1"


rule train_webshop_policies:
    input:
        expand(rules.train_webshop_policy.output.checkpoint, kind=WEBSHOP_TRAINING),


localrules:
    train_webshop_policies,
