"""From a call of a tool to the action it stands for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from repairstudy.errors import ConfigError
from repairstudy.records.text import fill


@dataclass(frozen=True, slots=True)
class Tools:
    """Which calls are actions.

    Attributes:
        argument: the argument that holds the action, of tools that are not listed.
        templates: by tool, its action with arguments in braces, such as `search[{query}]`.
        skipped: tools whose calls are no actions.
    """

    argument: str = "action"
    templates: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()

    @classmethod
    def of(cls, argument: str, templates: Iterable[str], skipped: Iterable[str]) -> Tools:
        """From `NAME=TEMPLATE` texts.

        Raises:
            ConfigError: a text that is none.
        """
        found = {}
        for text in templates:
            name, equals, template = text.partition("=")
            if not (name and equals and template):
                raise ConfigError(f"--tool: '{text}' is not NAME=TEMPLATE")
            found[name] = template
        return cls(argument, found, frozenset(skipped))

    def action(self, name: str, arguments: Any) -> str | None:
        """The action of a call; None: it is none.

        Args:
            arguments: an object, or its JSON.

        Raises:
            ValueError: the arguments are not those of an action, in words.
        """
        if name in self.skipped:
            return None
        given = _object(name, arguments)
        if name in self.templates:
            texts = {key: _text(value) for key, value in given.items()}
            try:
                return fill(self.templates[name], texts)
            except ConfigError:
                wanted = self.templates[name]
                raise ValueError(f"call of {name} lacks an argument of '{wanted}'") from None
        if not isinstance(given.get(self.argument), str):
            listed = ", ".join(map(str, given)) or "none"
            raise ValueError(
                f"call of {name} has no text argument '{self.argument}' (it has {listed:.200}); "
                "say with --tool what it does, or with --skip-tool that it does nothing"
            )
        return str(given[self.argument])


def _object(name: str, arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, Mapping):
        raise ValueError(f"arguments of a call of {name} are no JSON object")
    return arguments


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
