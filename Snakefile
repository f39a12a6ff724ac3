# Which one-action repair of a failed run helps the agent that will act, and who may choose it?
# The stages, one direction only: plan, failures, positions, candidates, work lists, rollouts,
# scores, selection, statistics, figures and report. `snakemake --list` shows each with a sentence.
from snakemake.utils import min_version

min_version("9.20")


report: "workflow/report/workflow.rst"


# A file given by --configfile is a whole study; it does not extend the default one.
if not workflow.configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/plan.smk"


if FROM_OUTCOMES:

    include: "workflow/rules/outcomes.smk"

else:

    include: "workflow/rules/servers.smk"
    include: "workflow/rules/models.smk"
    include: "workflow/rules/alfworld.smk"
    include: "workflow/rules/models_alfworld.smk"
    include: "workflow/rules/webshop.smk"
    include: "workflow/rules/models_webshop.smk"
    include: "workflow/rules/collect.smk"
    include: "workflow/rules/repairs.smk"
    include: "workflow/rules/rollouts.smk"
    include: "workflow/rules/selection.smk"


include: "workflow/rules/audit.smk"
include: "workflow/rules/descriptions.smk"
include: "workflow/rules/statistics.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/export.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/validate.smk"


# The tables are asked for by name: one that went missing is made again, not only missed.
rule all:
    default_target: True
    input:
        rules.build_database.input,
        RESULTS / "study.duckdb",
        RESULTS / "report.html",
        expand(rules.run_notebook.output.page, notebook=NOTEBOOKS),
        rules.figures.input,
    message:
        "Study {STUDY.study} is complete"


onstart:
    if not FROM_OUTCOMES:
        tell_who_watches(STUDY, sys.stderr)


onsuccess:
    sys.stderr.write(products(RESULTS, STARTED))


onerror:
    sys.stderr.write(failures(RESULTS.parent.glob("*"), STARTED))


localrules:
    all,
    audit,
    export,
    figures,
    report,
    validate,
