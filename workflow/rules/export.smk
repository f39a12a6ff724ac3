"""The repair labels of a finished study as a data set for others."""


rule export_labels:
    input:
        database=rules.build_database.output.database,
    output:
        export=directory(RESULTS / "export"),
    log:
        LOGS / "export_labels.log",
    conda:
        ENVIRONMENT
    message:
        "Writing the repair labels as a data set: {output.export}"
    script:
        "../scripts/export_labels.py"


rule export:
    input:
        rules.export_labels.output.export,
