"""Selecting one-action repairs of failed LLM-agent runs, and measuring who selects them well.

Packages, from the ground up; each imports only from those before it (``tests/test_layers.py``):

records, estimators, environments, audit, descriptions, executors, engines, rollouts, conformance,
candidates, evaluators, store, imported, analysis, validation, report, config, cli.
"""

__version__ = "0.1.0"
