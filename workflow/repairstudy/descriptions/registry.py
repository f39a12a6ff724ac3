"""Which symptoms are looked for in which environment."""

from __future__ import annotations

from collections.abc import Mapping

from repairstudy.descriptions.alfworld import ALFWORLD
from repairstudy.descriptions.general import GENERAL
from repairstudy.descriptions.gridworld import GRIDWORLD
from repairstudy.descriptions.symptom import Symptom
from repairstudy.descriptions.webshop import WEBSHOP

SPECIFIC: Mapping[str, tuple[Symptom, ...]] = {
    "alfworld": ALFWORLD,
    "gridworld": GRIDWORLD,
    "webshop": WEBSHOP,
}


def symptoms_of(environment: str) -> tuple[Symptom, ...]:
    """The general symptoms, then those of the environment if it has any."""
    return (*GENERAL, *SPECIFIC.get(environment, ()))
