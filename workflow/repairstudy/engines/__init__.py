"""Engines: who turns prompts into text."""

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request

__all__ = ["ChoiceScores", "Completion", "Engine", "Request"]
