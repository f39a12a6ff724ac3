"""A configuration's JSON Schema, as the catalogue of workflows and editors read it."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import BaseModel


def schema_page(model: type[BaseModel]) -> str:
    """The schema in YAML, every section written out where it stands: the catalogue follows no
    references."""
    schema = model.model_json_schema()
    sections = schema.pop("$defs", {})
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
    return yaml.dump(
        _written_out(whole, sections), Dumper=_Plain, sort_keys=False, width=100, allow_unicode=True
    )


class _Plain(yaml.SafeDumper):
    """Without anchors: a section that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _written_out(node: Any, sections: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_written_out(item, sections) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        section = sections[node["$ref"].rpartition("/")[2]]
        node = section | {key: value for key, value in node.items() if key != "$ref"}
    return {key: _written_out(value, sections) for key, value in node.items()}
