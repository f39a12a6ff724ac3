"""WebShop's catalogues: prepared once, never part of a study's own results."""

# `full` is the published set-up: 100,000 products and the goals that people wrote.
WEBSHOP_CATALOGUES = {
    "small": "",
    "synthetic": "--products 1000 --seed 0",
    "full": "--products 100000 --human-goals",
}
WEBSHOP_PRICE_SEED = 0


rule prepare_webshop:
    output:
        "resources/webshop/{catalogue}/prepared.json",
    log:
        "results/logs/prepare_webshop.{catalogue}.log",
    wildcard_constraints:
        catalogue="|".join(WEBSHOP_CATALOGUES),
    conda:
        ENVIRONMENT
    params:
        python=sys.executable,
        options=lambda wildcards: WEBSHOP_CATALOGUES[wildcards.catalogue],
        price_seed=WEBSHOP_PRICE_SEED,
    message:
        "Preparing WebShop's {wildcards.catalogue} catalogue: products, goals, prices and index"
    shell:
        "{params.python} workflow/scripts/webshop_data.py {wildcards.catalogue} {params.options}"
        " --price-seed {params.price_seed}"
        " --out $(dirname {output}) > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"
