"""Policy LMs for ALFWorld: trained on what a scripted explorer does, never as part of a study."""

import os

ALFWORLD_GAMES = Path(os.environ.get("REPAIRSTUDY_DATA", "../shared/data")) / "alfworld"
ALFWORLD_LESSONS = {
    "experienced": "--experience likely --protocol window-3/1 --episodes 9 --seed 11",
    "newcomer": "--experience none --protocol window-2/1 --episodes 4 --limit 40 --seed 12",
}
# The weak policy is an early state of the basis, which is not shipped. The strong one goes on from
# the basis with the same lessons; the other one goes on from the strong one with those of a teacher
# who does not know where things are kept.
# Lessons, the checkpoint that training goes on from, and arguments.
ALFWORLD_TRAINING = {
    "weak": ("experienced", [], "--seed 11 --updates 3000 --stop 2400"),
    "basis": ("experienced", [], "--seed 11 --updates 3000"),
    "strong": ("experienced", ["results/policy-lms/alfworld-basis"], "--seed 13 --updates 1800"),
    "other": ("newcomer", ["results/policy-lms/alfworld-strong"], "--seed 12 --updates 700"),
}


rule write_alfworld_lessons:
    input:
        prompt="resources/prompts/alfworld/policy.txt",
    output:
        lessons="results/policy-lms/alfworld-{teacher}.lessons.jsonl",
    log:
        "results/logs/write_alfworld_lessons.{teacher}.log",
    wildcard_constraints:
        teacher="|".join(ALFWORLD_LESSONS),
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        games=ALFWORLD_GAMES,
        arguments=lambda wildcards: ALFWORLD_LESSONS[wildcards.teacher],
    message:
        "Writing what the {wildcards.teacher} explorer does in ALFWorld's training games"
    shell:
        "{params.python} workflow/scripts/training/alfworld_lessons.py --games {params.games}"
        " --prompt {input.prompt} {params.arguments} --out {output.lessons} > {log} 2>&1"


rule train_alfworld_policy:
    input:
        lessons=lambda wildcards: "results/policy-lms/alfworld-{}.lessons.jsonl".format(
            ALFWORLD_TRAINING[wildcards.kind][0]
        ),
        start=lambda wildcards: ALFWORLD_TRAINING[wildcards.kind][1],
    output:
        checkpoint=directory("results/policy-lms/alfworld-{kind}"),
    log:
        "results/logs/train_alfworld_policy.{kind}.log",
    wildcard_constraints:
        kind="|".join(ALFWORLD_TRAINING),
    conda:
        ENVIRONMENT
    params:
        python=".venv-vllm/bin/python",
        arguments=lambda wildcards: ALFWORLD_TRAINING[wildcards.kind][2],
        start=lambda wildcards, input: f"--start {input.start}" if input.start else "",
    message:
        "Training the {wildcards.kind} ALFWorld policy LM on an explorer's lessons"
    shell:
        "{params.python} workflow/scripts/training/train_alfworld_policy.py --lessons {input.lessons}"
        " {params.arguments} {params.start} --out {output.checkpoint} > {log} 2>&1"


rule train_alfworld_policies:
    input:
        expand(rules.train_alfworld_policy.output.checkpoint, kind=ALFWORLD_TRAINING),


localrules:
    train_alfworld_policies,
