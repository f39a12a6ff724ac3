"""ALFWorld's game files: put in place once, never part of a study's own results."""

# Of each split: games, and scenes (at least one a kind of room).
GENERATED_GAMES = {"train": 60, "valid_unseen": 30}
GENERATED_SCENES, GENERATED_SEED = 6, 0


rule place_alfworld_games:
    input:
        sums="resources/alfworld.sha256",
    output:
        "resources/alfworld/official/manifest.json",
    log:
        "results/logs/place_alfworld_games.log",
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
    message:
        "Putting the official ALFWorld games in place, checked against their sums"
    shell:
        "{params.python} workflow/scripts/alfworld_data.py official --sums {input.sums}"
        " --out $(dirname {output}) > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"


rule generate_alfworld_games:
    output:
        "resources/alfworld/generated/manifest.json",
    log:
        "results/logs/generate_alfworld_games.log",
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        games=[f"{split}={count}" for split, count in GENERATED_GAMES.items()],
        scenes=GENERATED_SCENES,
        seed=GENERATED_SEED,
    message:
        "Making small games in ALFWorld's format, each won by its walkthrough"
    shell:
        "{params.python} workflow/scripts/alfworld_data.py generate --games {params.games}"
        " --scenes {params.scenes} --seed {params.seed}"
        " --out $(dirname {output}) > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"
