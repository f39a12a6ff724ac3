"""What the columns of the exported data set are; the data card is made from it."""

from __future__ import annotations

from repairstudy.records import Column, Table
from repairstudy.records.tables import FLAG, FLAGS, INT, REAL, TEXT, TEXTS

_STUDY = Column("study", TEXT, "study's name")
_ENVIRONMENT = Column("environment", TEXT, "environment's name")
_TASK = Column("task_id", TEXT, "task")
_INSTRUCTION = Column("instruction", TEXT, "the task in words", nullable=True)
_FAILURE = Column("failure_id", TEXT, "failure")
_DEPLOYED = Column("deployed", TEXT, "name of the executor that failed")
_DEPLOYED_ID = Column("deployed_executor_id", TEXT, "hash of its identity")

REPAIR_LABELS = Table(
    "repair_labels",
    (
        _STUDY,
        _ENVIRONMENT,
        _TASK,
        _INSTRUCTION,
        Column("cluster", TEXT, "failures with the same value depend on each other"),
        Column("pools", TEXTS, "failure pools that hold the failure"),
        _FAILURE,
        Column("trajectory_id", TEXT, "the failed run, a row of failed_runs"),
        _DEPLOYED,
        _DEPLOYED_ID,
        Column("t", INT, "step of the failed run whose action is replaced, from 0"),
        Column("slack", INT, "actions left in the budget, the one at t included", nullable=True),
        Column("is_primary", FLAG, "the failure's position in the confirmatory analyses"),
        Column("candidate_id", TEXT, "hash of failure, step and action"),
        Column("action", TEXT, "the action that replaces"),
        Column("original_action", TEXT, "what the failed run did there", nullable=True),
        Column("is_original", FLAG, "the replacement is what the failed run did"),
        Column("sources", TEXTS, "who proposed the action"),
        Column("executor", TEXT, "who acted after the replacement: the label holds for it alone"),
        Column("executor_id", TEXT, "hash of its identity"),
        Column("model", TEXT, "its model"),
        Column("identity", TEXT, "weights, prompt, history protocol, decoding and limits, as JSON"),
        Column("role", TEXT, "why these rollouts were run; those of two roles share no draw"),
        Column("rollouts", INT, "finished rollouts"),
        Column("successes", INT, "how many of them solved the task"),
        Column("errors", INT, "rollouts that infrastructure ended: they say nothing"),
        Column("mean_reward", REAL, "mean reward in [0, 1]", nullable=True),
        Column("original_rollouts", INT, "the same executor's and role's, of the original action"),
        Column("original_successes", INT, "how many of them solved the task"),
        Column(
            "net_gain", REAL, "share of successes minus the original's; null for it", nullable=True
        ),
        Column("net_gain_low", REAL, "lower end of its interval (Newcombe)", nullable=True),
        Column("net_gain_high", REAL, "upper end of its interval", nullable=True),
        Column("reward_gain", REAL, "mean reward minus the original's", nullable=True),
        Column("exact_value", REAL, "exact probability of success, where known", nullable=True),
    ),
    ("failure_id", "t", "candidate_id", "executor_id", "role"),
)
FAILED_RUNS = Table(
    "failed_runs",
    (
        _STUDY,
        _ENVIRONMENT,
        _TASK,
        _INSTRUCTION,
        _FAILURE,
        Column("trajectory_id", TEXT, "rollout key of the run; hash of an imported one"),
        _DEPLOYED,
        _DEPLOYED_ID,
        Column("reward", REAL, "reward in [0, 1]", nullable=True),
        Column("observations", TEXTS, "what the executor saw before each action"),
        Column("actions", TEXTS, "what it did"),
        Column("valid", FLAGS, "whether each action was admissible"),
    ),
    ("failure_id",),
)
