"""Policy LMs for ALFWorld: trained on what a scripted explorer does, never as part of a study."""

# Two families. They differ in what the teacher knows of rooms, in the window of the prompt and in
# the seed. The weak policy is a checkpoint from midway to the strong one.
ALFWORLD_FAMILIES = {
    "first": {"experience": "likely", "protocol": "window-3/1", "seed": 11, "episodes": 9},
    "other": {"experience": "none", "protocol": "window-2/1", "seed": 12, "episodes": 6},
}
ALFWORLD_TRAINING = {
    "first": {"updates": 3600, "saves": {"weak": 1800, "strong": 3600}},
    "other": {"updates": 3600, "saves": {"other": 3600}},
}
ALFWORLD_SHAPE = "--layers 3 --width 128"
ALFWORLD_GAMES = Path(os.environ.get("REPAIRSTUDY_DATA", "../shared/data")) / "alfworld"


def alfworld_lesson(wildcards):
    """Arguments of the lessons of a family."""
    return " ".join(
        f"--{name} {value}" for name, value in ALFWORLD_FAMILIES[wildcards.family].items()
    )


def alfworld_training(family):
    """Arguments of the training of a family, the folders of its checkpoints among them."""
    training = ALFWORLD_TRAINING[family]
    saves = (
        f"--save {stop}=results/policy-lms/alfworld-{kind}"
        for kind, stop in training["saves"].items()
    )
    seed = ALFWORLD_FAMILIES[family]["seed"]
    return f"--seed {seed} --updates {training['updates']} {' '.join(saves)}"


rule write_alfworld_lessons:
    input:
        prompt="resources/prompts/alfworld/policy.txt",
    output:
        lessons="results/policy-lms/alfworld-{family}.lessons.jsonl",
    log:
        "results/logs/write_alfworld_lessons.{family}.log",
    wildcard_constraints:
        family="|".join(ALFWORLD_FAMILIES),
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        games=ALFWORLD_GAMES,
        lesson=alfworld_lesson,
    message:
        "Writing what the explorer of family '{wildcards.family}' does in ALFWorld's training games"
    shell:
        "{params.python} workflow/scripts/alfworld_lessons.py --games {params.games}"
        " --prompt {input.prompt} {params.lesson} --out {output.lessons} > {log} 2>&1"


for family, training in ALFWORLD_TRAINING.items():

    rule:
        name:
            f"train_alfworld_{family}"
        input:
            lessons=f"results/policy-lms/alfworld-{family}.lessons.jsonl",
        output:
            [directory(f"results/policy-lms/alfworld-{kind}") for kind in training["saves"]],
        log:
            f"results/logs/train_alfworld_{family}.log",
        conda:
            ENVIRONMENT
        params:
            python=".venv-vllm/bin/python",
            shape=ALFWORLD_SHAPE,
            training=alfworld_training(family),
        message:
            "Training ALFWorld policy LMs of one family on the explorer's lessons"
        shell:
            "{params.python} workflow/scripts/train_alfworld_policy.py --lessons {input.lessons}"
            " {params.shape} {params.training} > {log} 2>&1"


rule train_alfworld_policies:
    input:
        [
            f"results/policy-lms/alfworld-{kind}"
            for training in ALFWORLD_TRAINING.values()
            for kind in training["saves"]
        ],


localrules:
    train_alfworld_policies,
