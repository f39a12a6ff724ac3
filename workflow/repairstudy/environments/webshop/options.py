"""The options of the shop, and which of them are possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from repairstudy.environments.option_checks import (
    check_choice,
    check_names,
    check_text,
    check_whole,
)
from repairstudy.environments.webshop.reward import ORIGINAL
from repairstudy.environments.webshop.rules import Rules, parse_rules
from repairstudy.environments.webshop.selection import Split, Splitting
from repairstudy.environments.webshop.shop import Mode


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
    check_names(given, Options)
    check_text("data", given.get("data"), "the folder of a prepared shop")
    options = Options(**{**given, "rules": parse_rules(given.get("rules", ORIGINAL))})
    check_choice("split", options.split, get_args(Split))
    check_choice("splitting", options.splitting, get_args(Splitting))
    check_choice("observation", options.observation, get_args(Mode))
    check_choice("unreachable", options.unreachable, (False, True))
    check_choice("show_score", options.show_score, (False, True))
    if options.max_goals_per_product is not None:
        check_whole("max_goals_per_product", options.max_goals_per_product, more=", or null")
    return options
