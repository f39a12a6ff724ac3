"""The names of the suite's parts, each a job of its own; importing them loads nothing else."""

PARTS = (
    "bias_simulated", "bias_rewards", "bias_real", "bias_across", "bias_across_real",
    "coverage_simulated", "coverage_simulated_tasks", "coverage_rewards", "coverage_real",
    "coverage_real_tasks", "errors_equal", "errors_equal_tasks", "errors_hopeless", "errors_ties",
    "errors_skewed", "errors_one_effect", "power_simulated", "power_real",
)  # fmt: skip
