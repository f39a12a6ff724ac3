"""The options of the shop, and which of them are possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args

from repairstudy.environments.webshop.reward import ORIGINAL
from repairstudy.environments.webshop.rules import Rules, parse_rules
from repairstudy.environments.webshop.selection import Split, Splitting
from repairstudy.environments.webshop.shop import Mode
from repairstudy.errors import ConfigError

PREFIX = "environment.options"


@dataclass(frozen=True, slots=True)
class Options:
    """Which shop, which tasks, and what an agent is shown.

    Attributes:
        data: a folder that was prepared with ``workflow/scripts/webshop_data.py``.
        rules: how purchases are scored; all as in the original by default.
        split: which part of the goals are tasks.
        splitting: whether the parts divide products or, as published, the order of goals.
        max_goals_per_product: of each product's goals the first so many; None is all.
        unreachable: whether goals that nobody can meet are tasks too.
        observation: the original's observation mode. "text" does not show chosen options; it is
            the one that was compared with recorded pages.
        show_score: tell the score after a purchase, as the original does.
    """

    data: str
    rules: Rules = ORIGINAL
    split: Split = "all"
    splitting: Splitting = "products"
    max_goals_per_product: int | None = 2
    unreachable: bool = False
    observation: Mode = "text"
    show_score: bool = False


def parse_options(given: Mapping[str, Any]) -> Options:
    """Checked options.

    Raises:
        ConfigError: an unknown option, or a value that is not accepted.
    """
    accepted = [field.name for field in fields(Options)]
    for name in given:
        if name not in accepted:
            raise ConfigError(f"{PREFIX}.{name}: no such option; accepted: {', '.join(accepted)}")
    data = given.get("data")
    if not isinstance(data, str) or not data:
        raise ConfigError(f"{PREFIX}.data: {data!r}; accepted: the folder of a prepared shop")
    rules = given.get("rules", {})
    if not isinstance(rules, Rules):
        rules = parse_rules(rules)
    options = Options(**{**given, "rules": rules})
    _check("split", options.split, get_args(Split))
    _check("splitting", options.splitting, get_args(Splitting))
    _check("observation", options.observation, get_args(Mode))
    _check("unreachable", options.unreachable, (False, True))
    _check("show_score", options.show_score, (False, True))
    most = options.max_goals_per_product
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ConfigError(
            f"{PREFIX}.max_goals_per_product: {most!r}; accepted: a whole number from 1, or null"
        )
    return options


def _check(name: str, value: Any, accepted: tuple[Any, ...]) -> None:
    if value not in accepted or type(value) is not type(accepted[0]):
        listed = ", ".join(str(item).lower() for item in accepted)
        raise ConfigError(f"{PREFIX}.{name}: {value!r}; accepted: {listed}")
