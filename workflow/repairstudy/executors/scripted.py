"""Scripted executors: agents that are rules and no language models, named by entry points."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Protocol

import numpy as np

from repairstudy.environments.forms import closed
from repairstudy.errors import ConfigError
from repairstudy.executors.protocols import AgentView

GROUP = "repairstudy.policies"


class Policy(Protocol):
    """A rule that acts. `version` changes whenever it could act otherwise in the same view."""

    version: str

    def act(self, view: AgentView, rng: np.random.Generator) -> str:
        """The next action: a function of the view and of what is drawn from `rng`."""
        ...


class RandomPolicy:
    """Any admissible action, each as likely as the others."""

    version = "1"

    def act(self, view: AgentView, rng: np.random.Generator) -> str:
        actions = closed(view.admissible) or view.admissible
        return actions[int(rng.integers(len(actions)))]


def make_policy(name: str, parameters: Mapping[str, Any]) -> Policy:
    """The installed policy of that name.

    Raises:
        ConfigError: no installed package offers it, or its parameters are not accepted.
    """
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in found:
        offered = ", ".join(sorted(found)) or "none"
        raise ConfigError(f"parameters.policy: no policy '{name}' (installed: {offered})")
    try:
        policy: Policy = found[name].load()(**parameters)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"parameters of policy '{name}': {error}") from error
    return policy
