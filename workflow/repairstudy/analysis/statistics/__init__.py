"""From a pool's outcomes, the values of its evaluators and the frozen plan to table `results`."""

from repairstudy.analysis.statistics.analyse import analyse

__all__ = ["analyse"]
