"""Rollouts: what identifies them, who runs them, and the cache that keeps them."""

from repairstudy.rollouts.actors import Actor, Decision, ModelActor, ScriptedActor
from repairstudy.rollouts.attempts import Limits
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.collect import Collected, Collection, collect_failures
from repairstudy.rollouts.episode import Episode, run_episode
from repairstudy.rollouts.gather import gather
from repairstudy.rollouts.progress import Progress, Tally, progress_on
from repairstudy.rollouts.scheduler import run_rollouts
from repairstudy.rollouts.signals import Interrupted
from repairstudy.rollouts.spec import RolloutSpec, work_list
from repairstudy.rollouts.worklist import Pending, Work, missing, pending, pending_of

__all__ = [
    "Actor",
    "Collected",
    "Collection",
    "Decision",
    "Episode",
    "Interrupted",
    "Limits",
    "ModelActor",
    "Pending",
    "Progress",
    "RolloutCache",
    "RolloutSpec",
    "ScriptedActor",
    "Tally",
    "Work",
    "collect_failures",
    "gather",
    "missing",
    "pending",
    "pending_of",
    "progress_on",
    "run_episode",
    "run_rollouts",
    "work_list",
]
