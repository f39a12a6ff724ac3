"""Policy LMs for ALFWorld: trained on what a scripted explorer does, never as part of a study."""

ALFWORLD_GAMES = Path(os.environ.get("REPAIRSTUDY_DATA", "../shared/data")) / "alfworld"
ALFWORLD_LESSONS = {
    "experienced": "--experience likely --protocol window-3/1 --episodes 9 --seed 11",
    "newcomer": "--experience none --protocol window-2/1 --episodes 4 --limit 40 --seed 12",
}
# The weak policy is an early state of the basis, which is not shipped. The strong one goes on from
# the basis with the same lessons; the other one goes on from the strong one with those of a teacher
# who does not know where things are kept.
ALFWORLD_TRAINING = {
    "weak": {"lessons": "experienced", "arguments": "--seed 11 --updates 3000 --stop 2400"},
    "basis": {"lessons": "experienced", "arguments": "--seed 11 --updates 3000"},
    "strong": {
        "lessons": "experienced",
        "start": "basis",
        "arguments": "--seed 13 --updates 1800",
    },
    "other": {"lessons": "newcomer", "start": "strong", "arguments": "--seed 12 --updates 700"},
}


def alfworld_lesson_arguments(wildcards):
    return ALFWORLD_LESSONS[wildcards.teacher]


def alfworld_lessons(wildcards):
    lessons = ALFWORLD_TRAINING[wildcards.kind]["lessons"]
    return f"results/policy-lms/alfworld-{lessons}.lessons.jsonl"


def alfworld_start(wildcards):
    """The checkpoint that training goes on from; none for the first."""
    start = ALFWORLD_TRAINING[wildcards.kind].get("start")
    return [f"results/policy-lms/alfworld-{start}"] if start else []


def alfworld_training_arguments(wildcards, input):
    start = f" --start {input.start}" if input.start else ""
    return ALFWORLD_TRAINING[wildcards.kind]["arguments"] + start


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
        arguments=alfworld_lesson_arguments,
    message:
        "Writing what the {wildcards.teacher} explorer does in ALFWorld's training games"
    shell:
        "{params.python} workflow/scripts/alfworld_lessons.py --games {params.games}"
        " --prompt {input.prompt} {params.arguments} --out {output.lessons} > {log} 2>&1"


rule train_alfworld_policy:
    input:
        lessons=alfworld_lessons,
        start=alfworld_start,
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
        arguments=alfworld_training_arguments,
    message:
        "Training the {wildcards.kind} ALFWorld policy LM on an explorer's lessons"
    shell:
        "{params.python} workflow/scripts/train_alfworld_policy.py --lessons {input.lessons}"
        " {params.arguments} --out {output.checkpoint} > {log} 2>&1"


rule train_alfworld_policies:
    input:
        expand(rules.train_alfworld_policy.output.checkpoint, kind=ALFWORLD_TRAINING),


localrules:
    train_alfworld_policies,
