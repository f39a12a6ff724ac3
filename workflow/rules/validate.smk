"""How far estimators, intervals and tests keep what they promise, measured on known truth.

Its own target: no study needs it. `snakemake validate --cores 2`
"""

import os

from repairstudy.validation.parts import PARTS

VALIDATION = Path(os.path.relpath(STUDY.results)) / "validation"
MEASURED_CODE = [Path("workflow/repairstudy") / name for name in ("estimators", "validation")]


rule measure_validation:
    input:
        distributions="tests/data/gridworld_logprobs.json",
        sources=sorted(path for folder in MEASURED_CODE for path in folder.rglob("*.py")),
    output:
        part=VALIDATION / "parts" / "{part}.parquet",
    log:
        VALIDATION / "logs" / "{part}.log",
    conda:
        ENVIRONMENT
    params:
        scale=1.0,
    message:
        "Measuring {wildcards.part} on replicated studies"
    script:
        "../scripts/validate.py"


rule collect_validation:
    input:
        parts=expand(VALIDATION / "parts" / "{part}.parquet", part=PARTS),
    output:
        validation=VALIDATION / "validation.parquet",
    log:
        VALIDATION / "logs" / "collect.log",
    conda:
        ENVIRONMENT
    message:
        "Writing {output.validation}"
    script:
        "../scripts/validate_collect.py"


rule write_validation:
    input:
        validation=rules.collect_validation.output.validation,
        sources=sorted(
            path
            for path in Path("workflow/repairstudy/report").rglob("*")
            if path.suffix in (".py", ".j2", ".css", ".mplstyle")
        ),
    output:
        page=report(
            VALIDATION / "validation.html",
            caption="../report/validation.rst",
            category="Validation",
        ),
        figures=directory(VALIDATION / "figures"),
    log:
        VALIDATION / "logs" / "page.log",
    conda:
        ENVIRONMENT
    message:
        "Writing {output.page}"
    script:
        "../scripts/validate_page.py"


rule validate:
    input:
        rules.collect_validation.output.validation,
        rules.write_validation.output.page,
        rules.write_validation.output.figures,
