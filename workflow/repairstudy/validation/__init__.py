"""What the estimators, intervals and tests really deliver, measured on known truth.

Replicated studies are drawn from simulated executors and from the stored action distributions of a
real model, analysed by the same functions as any study, and compared with exact values. A figure
that misses its target is a result like any other. `suite.measure` runs a part; `parts` lists them.
"""
