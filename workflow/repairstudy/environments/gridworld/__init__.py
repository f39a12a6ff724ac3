"""A small grid with pits and collapsing tiles, in which everything can be computed exactly."""

from repairstudy.environments.gridworld.environment import Gridworld

__all__ = ["Gridworld"]
