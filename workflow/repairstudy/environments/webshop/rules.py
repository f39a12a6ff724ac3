"""Known faults of the original shop's scoring, each of which may be kept or corrected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from repairstudy.environments.option_checks import check_choice, check_names, refused

Rule = Literal["original", "corrected"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How a purchase is scored. "original" does what the published code does, faults included.

    Attributes:
        option_pairs: an option of a synthetic goal is compared as the text of the pair of group
            and value, so that some goals cannot be met; corrected: as the value alone.
        colours: an option that contains a colour word, even inside another word ("tan" in
            "standard"), is reduced to that word; corrected: it is compared as written.
        option_match: options match when their words nearly contain each other ("large" and
            "x-large"), in whatever group; corrected: equal values, in the goal's group if known.
        attribute_match: the same for attributes, and they are also found inside other words of
            the texts; corrected: the same words, or a phrase of whole words in the texts.
        type_floor: a purchase that shares no noun with the goal scores 0 even when query and
            categories match; corrected: such a match keeps the full score.
    """

    option_pairs: Rule = "original"
    colours: Rule = "original"
    option_match: Rule = "original"
    attribute_match: Rule = "original"
    type_floor: Rule = "original"

    def version_part(self) -> str:
        """The corrected rules by name, "original" when there are none: part of a version."""
        corrected = [name for name, rule in asdict(self).items() if rule == "corrected"]
        return "corrected:" + ",".join(corrected) if corrected else "original"


def parse_rules(given: Any) -> Rules:
    """Checked rules from a configuration; rules that are `Rules` already are returned.

    Raises:
        ConfigError: an unknown rule or a value other than "original" and "corrected".
    """
    if isinstance(given, Rules):
        return given
    if not isinstance(given, Mapping):
        raise refused("rules", given, "rules by name, each original or corrected")
    check_names(given, Rules, inside="rules.")
    for name, value in given.items():
        check_choice(f"rules.{name}", value, get_args(Rule))
    return Rules(**given)
