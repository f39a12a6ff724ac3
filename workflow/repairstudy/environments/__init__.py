"""Replayable task worlds."""

from repairstudy.environments.base import Environment, Outcome, Step
from repairstudy.environments.registry import make_environment
from repairstudy.environments.replay import replay

__all__ = ["Environment", "Outcome", "Step", "make_environment", "replay"]
