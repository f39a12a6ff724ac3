"""Figures, tables, notebooks and report, all from the database alone."""

LIBRARY = Path("workflow/repairstudy/report")
NOTEBOOKS = sorted(path.stem for path in Path("notebooks").glob("*.ipynb"))


rule draw_figures:
    input:
        database=rules.build_database.output.database,
        sources=sorted(path for path in LIBRARY.rglob("*") if path.suffix in (".py", ".mplstyle")),
    output:
        figures=report(
            directory(RESULTS / "figures"),
            patterns=["{name}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{name}"},
        ),
    log:
        LOGS / "draw_figures.log",
    conda:
        ENVIRONMENT
    message:
        "Drawing the figures"
    script:
        "../scripts/draw_figures.py"


rule write_tables:
    input:
        database=rules.build_database.output.database,
        published="resources/published.yaml",
    output:
        tables=report(
            directory(RESULTS / "tables"),
            patterns=["paper/{name}.csv"],
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{name}"},
        ),
    log:
        LOGS / "write_tables.log",
    conda:
        ENVIRONMENT
    message:
        "Writing the tables as CSV, Parquet and LaTeX"
    script:
        "../scripts/write_tables.py"


rule run_notebook:
    input:
        database=rules.build_database.output.database,
        notebook="notebooks/{notebook}.ipynb",
    output:
        page=report(
            RESULTS / "notebooks" / "{notebook}.html",
            caption="../report/notebook.rst",
            category="Notebooks",
            labels={"notebook": "{notebook}"},
        ),
    log:
        LOGS / "run_notebook" / "{notebook}.log",
    conda:
        ENVIRONMENT
    message:
        "Executing the notebook {wildcards.notebook}"
    script:
        "../scripts/run_notebook.py"


rule write_report:
    input:
        database=rules.build_database.output.database,
        figures=rules.draw_figures.output.figures,
        published="resources/published.yaml",
        sources=sorted(
            path for path in LIBRARY.rglob("*") if path.suffix in (".py", ".j2", ".css", ".js")
        ),
    output:
        report=report(RESULTS / "report.html", caption="../report/report.rst", category="Report"),
        explorer=report(
            RESULTS / "explorer.html", caption="../report/explorer.rst", category="Report"
        ),
    log:
        LOGS / "write_report.log",
    conda:
        ENVIRONMENT
    message:
        "Writing {output.report}"
    script:
        "../scripts/write_report.py"


rule figures:
    input:
        rules.draw_figures.output.figures,
        rules.write_tables.output.tables,


rule report:
    input:
        rules.write_report.output.report,
