"""The page of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo

MAKEFILE = Path(__file__).parents[3] / "Makefile"
TARGETS = {  # of Snakemake: what a person asks for by name
    "(none)": "the whole study: database, figures, tables, report, notebooks",
    "figures": "figures and tables from the database alone",
    "report": "the report, from database and figures",
    "export": "repair labels as a data set, from the database alone",
    "audit": "whether the environment's reward can be trusted",
    "verify-results": "every table again from the rollout cache, compared with the database",
    "validate": "the statistics against known truth; minutes, and no study needs it",
}


def command_line_page(app: typer.Typer) -> str:
    """Commands with arguments, options and defaults; targets of Snakemake and of make."""
    parts = [
        "# Command line",
        "This page is made from the code (`python -m repairstudy.cli.docs`). Commands are in "
        "`.venv/bin`. Studies themselves are run by Snakemake.",
    ]
    group: Any = typer.main.get_command(app)
    for one in app.registered_commands:
        names = {known.name: known.opts for known in group.commands[one.name].params}
        parts.append(_command(str(one.name), one.callback, names))
    parts += [
        "## snakemake",
        "`.venv/bin/snakemake TARGET --cores N --configfile CONFIG`; without `--configfile` it is "
        "`config/config.yaml`. All options of Snakemake can be used; `--dry-run` says what would "
        "run, `--workflow-profile workflow/profiles/NAME` where (`gpu`, `slurm`).",
        _table(("target", "makes"), [(f"`{name}`", text) for name, text in TARGETS.items()]),
        "## make",
        "`make TARGET`; `CONFIG=FILE` is another study, `CORES=N` limits the cores.",
        _table(("target", "does"), [(f"`{name}`", text) for name, text in _make_targets()]),
    ]
    return "\n\n".join(parts) + "\n"


def _command(name: str, function: Any, names: Mapping[str, Sequence[str]]) -> str:
    hints = get_type_hints(function, include_extras=True)
    arguments, rows = [], []
    for parameter in inspect.signature(function).parameters.values():
        annotation, told = get_args(hints[parameter.name])[:2]
        required = parameter.default is inspect.Parameter.empty
        if isinstance(told, ArgumentInfo):
            shown = told.metavar or parameter.name.upper()
            arguments.append(shown if required else f"[{shown}]")
        else:
            shown = _option(", ".join(names[parameter.name]), annotation, told)
        default = "required" if required else _default(parameter.default)
        rows.append((f"`{shown}`", default, _text(told.help)))
    words = ["repairstudy", name, *arguments, "[OPTIONS]"]
    text = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(
        [
            f"## repairstudy {name}",
            f"`{' '.join(words)}`",
            *(_text(" ".join(paragraph.split())) for paragraph in text),
            _table(("argument or option", "default", "meaning"), rows),
        ]
    )


def _option(names: str, annotation: Any, told: Any) -> str:
    """The option as it is written, with what stands for its value."""
    if annotation is bool:
        return names
    choices = get_args(annotation) if get_origin(annotation) is Literal else ()
    return f"{names} {told.metavar or '/'.join(choices) or 'VALUE'}"


def _default(value: Any) -> str:
    return "" if value is None or value is False or value in ([], ()) else f"`{value}`"


def _text(words: str | None) -> str:
    """Help as Markdown: nothing in it is markup but its own code quotes; pages become links."""
    parts = re.split(r"(`[^`]*`)", words or "")
    for n, part in enumerate(parts):
        if not part.startswith("`"):
            escaped = re.sub(r"([*_<|\[])", r"\\\1", part)
            parts[n] = re.sub(r"docs/([\w-]+\.md)", r"[\1](\1)", escaped)
    return "".join(parts)


def _make_targets() -> list[tuple[str, str]]:
    return re.findall(r"^([a-z-]+):.*## (.*)$", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)
