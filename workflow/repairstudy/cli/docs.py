"""Pages that follow from the code: configuration, data dictionary, commands, JSON Schema.

``python -m repairstudy.cli.docs`` writes them anew; a test compares them with the code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from repairstudy.analysis.plan import Plan
from repairstudy.cli.command_line import command_line_page
from repairstudy.cli.main import app
from repairstudy.cli.schema import schema_page
from repairstudy.config import OutcomesConfig, StudyConfig
from repairstudy.records import TABLES

INTERNAL = {"worklist", "cached_rollouts", "collected_failures", "policies"}


def pages() -> dict[str, str]:
    """Path in the repository -> content."""
    return {
        "docs/configuration.md": configuration_page(),
        "docs/data-dictionary.md": dictionary_page(),
        "docs/command-line.md": command_line_page(app),
        "config/schemas/config.schema.yaml": schema_page(StudyConfig),
        "config/schemas/outcomes.schema.yaml": schema_page(OutcomesConfig),
    }


def configuration_page() -> str:
    parts = [
        "# Configuration",
        "This page is made from the code (`python -m repairstudy.cli.docs`). Unknown keys and "
        "wrong types are errors that name the file, the key and what is accepted. `NAME` stands "
        "for a name of your choice.",
        "## A study",
        _rows(StudyConfig, ""),
        "## A study of outcomes made elsewhere",
        _rows(OutcomesConfig, ""),
        "## An analysis plan",
        "The file that `plan` names; `families` is a list. [Write a plan](plan.md) says how.",
        _rows(Plan, ""),
    ]
    return "\n\n".join(parts) + "\n"


def dictionary_page() -> str:
    parts = [
        "# Data dictionary",
        "This page is made from the code (`python -m repairstudy.cli.docs`). "
        "`results/<study>/study.duckdb` holds these tables; ids are text, times are UTC.",
    ]
    for table in TABLES.values():
        if table.name not in INTERNAL:
            lines = [f"## {table.name}", "", f"One row: {', '.join(table.key)}.", ""]
            lines += ["| column | type | null | meaning |", "| --- | --- | --- | --- |"]
            lines += [
                f"| `{c.name}` | {c.dtype} | {'yes' if c.nullable else ''} | {c.doc} |"
                for c in table.columns
            ]
            parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _rows(model: type[BaseModel], prefix: str) -> str:
    lines = ["| key | default | meaning |", "| --- | --- | --- |"]
    return "\n".join(lines + list(_keys(model, prefix)))


def _keys(model: type[BaseModel], prefix: str) -> list[str]:
    rows = []
    for name, field in model.model_fields.items():
        section, many = _section(field.annotation)
        key = f"{prefix}{name}"
        if field.description or section is None:
            rows.append(f"| `{key}` | {_default(field)} | {field.description or ''} |")
        if section is not None:
            rows += _keys(section, f"{key}.NAME." if many else f"{key}.")
    return rows


def _section(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The section that a field holds, and whether it holds many by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    origin = getattr(annotation, "__origin__", None)
    for argument in getattr(annotation, "__args__", ()):
        found, many = _section(argument)
        if found is not None:
            return found, many or origin is dict
    return None, False


def _default(field: Any) -> str:
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else ""
    return f"`{json.dumps(field.default)}`"


if __name__ == "__main__":
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    for path, content in pages().items():
        (root / path).write_text(content, encoding="utf-8")
