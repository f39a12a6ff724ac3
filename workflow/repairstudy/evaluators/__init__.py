"""Evaluators: which rollouts they need, and how they score candidates without own rollouts."""
