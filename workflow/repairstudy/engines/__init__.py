"""Engines: who turns prompts into text."""

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request, free_text

__all__ = ["ChoiceScores", "Completion", "Engine", "Request", "free_text"]
