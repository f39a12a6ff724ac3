"""The data contract: one schema for each table, checked whenever a table is written or read."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

TEXT, INT, REAL, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
TEXTS, FLAGS = pl.List(pl.String()), pl.List(pl.Boolean())
TIME = pl.Datetime("us", "UTC")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its polars type, whether it may be null, and what it means.

    `added`: it came later, and files of an earlier version lack it; there it is null.
    """

    name: str
    dtype: pl.DataType
    doc: str
    nullable: bool = False
    added: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns in order, and the columns that identify a row."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def schema(self) -> dict[str, pl.DataType]:
        return {column.name: column.dtype for column in self.columns}

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def added(self) -> list[str]:
        return [column.name for column in self.columns if column.added]

    def empty(self) -> pl.DataFrame:
        return pl.DataFrame(schema=self.schema)


STATUSES = ("success", "failure", "budget_exhausted", "invalid_limit", "infrastructure_error")
ROLES = ("collect", "label", "screen", "evaluate", "fresh", "control")


def _table(name: str, key: str, *columns: Column) -> Table:
    return Table(name, columns, tuple(key.split()))


_FAILURE = Column("failure_id", TEXT, "failure")
_T = Column("t", INT, "step of the failed trajectory that is repaired, from 0")
_CANDIDATE = Column("candidate_id", TEXT, "candidate action at that step")
_EXECUTOR = Column("executor_id", TEXT, "hash of the executor's identity")
_POOL = Column("pool", TEXT, "failure pool")
_EVALUATOR = Column("evaluator", TEXT, "evaluator's name")
_THOUGHT = Column(
    "tokens_thought", INT, "generated tokens that were thoughts; null: not counted", True, True
)

EXECUTORS = _table(
    "executors",
    "executor_id",
    _EXECUTOR,
    Column("name", TEXT, "name in the configuration; variants carry their decoding"),
    Column("role", TEXT, "deployed, evaluator, variant, or proposer"),
    Column("model", TEXT, "name of the model"),
    Column("identity", TEXT, "canonical JSON of the identity"),
    Column("validity", REAL, "mean unconstrained probability of the admissible actions", True),
)
# What a table of outcomes made elsewhere cannot tell is null, here and in the tables below.
TRAJECTORIES = _table(
    "trajectories",
    "trajectory_id",
    Column("trajectory_id", TEXT, "rollout key of the collected run; hash of an imported one"),
    Column("environment", TEXT, "environment's name"),
    Column("task_id", TEXT, "task"),
    Column("instruction", TEXT, "the task in words", True),
    Column("cluster", TEXT, "what failures must share to be treated as dependent"),
    _EXECUTOR,
    Column("seed", INT, "seed of the run", True),
    Column("success", FLAG, "whether the task was solved"),
    Column("reward", REAL, "reward in [0, 1]", True),
    Column("steps", INT, "actions taken", True),
    Column("order", INT, "place in the collection order, from 0"),
)
STEPS = _table(
    "steps",
    "trajectory_id t",
    Column("trajectory_id", TEXT, "trajectory"),
    Column("t", INT, "step, from 0"),
    Column("observation", TEXT, "what the executor saw before acting"),
    Column("action", TEXT, "what it did"),
    Column("valid", FLAG, "whether the action was admissible"),
    Column("signature", TEXT, "hash of the full state before the action"),
    Column("drawing", TEXT, "the full state as a person would read it"),
)
FAILURES = _table(
    "failures",
    "pool failure_id",
    _FAILURE,
    _POOL,
    Column("trajectory_id", TEXT, "the failed trajectory"),
    Column("rank", INT, "place in the pool, from 0, in collection order"),
)
IMPORTED_RUNS = _table(
    "imported_runs",
    "deployed number",
    Column("deployed", TEXT, "name of the executor whose failed runs they are taken for"),
    Column("number", INT, "line of the file, from 1"),
    Column("run", TEXT, "the run's name in the file"),
    Column("task_id", TEXT, "task"),
    Column("verdict", TEXT, "what its replay showed: failure, success, diverges, or unusable"),
    Column("detail", TEXT, "why it is no failure of the study; empty for one that is"),
    Column("trajectory_id", TEXT, "the failed trajectory that it became; null if none", True),
    Column("compared", INT, "observations in the file that the replay showed too"),
    Column("invalid_actions", INT, "how many of its actions were not admissible"),
    Column("file", TEXT, "the file"),
    Column("sha256", TEXT, "SHA-256 of the file"),
)
COLLECTED_FAILURES = _table(
    "collected_failures",
    "failure_id",
    _FAILURE,
    Column("deployed", TEXT, "name of the executor that failed"),
    Column("trajectory_id", TEXT, "the failed trajectory"),
    Column("rank", INT, "place in the collection order among the failures, from 0"),
)
POSITIONS = _table(
    "positions",
    "failure_id t",
    _FAILURE,
    _T,
    Column("slack", INT, "actions left in the budget, the one at t included", True),
    Column("is_primary", FLAG, "the failure's position in the confirmatory analyses"),
)
CANDIDATES = _table(
    "candidates",
    "failure_id t candidate_id",
    Column("candidate_id", TEXT, "hash of failure, step and action"),
    _FAILURE,
    _T,
    Column("action", TEXT, "the action"),
    Column("is_original", FLAG, "what the failed trajectory did"),
    Column("sources", TEXTS, "who proposed it, sorted; empty for an original nobody proposed"),
)
PROPOSALS = _table(
    "proposals",
    "failure_id t source draw",
    _FAILURE,
    _T,
    Column("source", TEXT, "proposer, or privileged, random, clickable"),
    Column("draw", INT, "number of the proposal of this source here, from 0"),
    Column("text", TEXT, "what the proposer wrote"),
    Column("action", TEXT, "the action parsed from it; null if none could be", True),
)
# Failures of one task that share a prefix share its rollouts, hence the failure in these two keys.
WORKLIST = _table(
    "worklist",
    "rollout_key failure_id",
    Column("rollout_key", TEXT, "identity of the rollout"),
    Column("executor", TEXT, "executor's name in the study"),
    _EXECUTOR,
    Column("task_id", TEXT, "task"),
    Column("failure_id", TEXT, "failure; null for a collected run", True),
    Column("t", INT, "step; null for a collected run", True),
    Column("candidate_id", TEXT, "candidate; null for a collected run", True),
    Column("prefix", TEXTS, "actions before the forced one"),
    Column("forced", TEXT, "the forced action; null for a collected run", True),
    Column("signature", TEXT, "expected state before the forced action", True),
    Column("observation", TEXT, "expected observation before the forced action", True),
    Column("role", TEXT, "one of " + ", ".join(ROLES)),
    Column("replicate", INT, "number of the draw, from 0"),
)
CACHED_ROLLOUTS = _table(
    "cached_rollouts",
    "rollout_key attempt",
    Column("rollout_key", TEXT, "identity of the rollout"),
    _EXECUTOR,
    Column("seed", INT, "seed of the rollout"),
    Column("attempt", INT, "from 0; above 0 only after infrastructure errors"),
    Column("status", TEXT, "one of " + ", ".join(STATUSES)),
    Column("success", FLAG, "task solved; null for an infrastructure error", True),
    Column("reward", REAL, "reward in [0, 1]; null for an infrastructure error", True),
    Column("steps", INT, "actions taken after the prefix, the forced one included"),
    Column("invalid_actions", INT, "how many of them were not admissible"),
    Column("tokens_in", INT, "prompt tokens"),
    Column("tokens_out", INT, "generated tokens"),
    _THOUGHT,
    Column("actions", TEXTS, "actions taken after the prefix"),
    Column("cause", TEXT, "cause of an infrastructure error", True),
    Column("finished", TIME, "when the rollout ended"),
)
ROLLOUTS = _table(
    "rollouts",
    "rollout_key failure_id",
    Column("rollout_key", TEXT, "identity of the rollout"),
    _EXECUTOR,
    _FAILURE,
    _T,
    _CANDIDATE,
    Column("role", TEXT, "one of " + ", ".join(ROLES)),
    Column("replicate", INT, "number of the draw, from 0"),
    Column("seed", INT, "seed of the rollout", True),
    Column("success", FLAG, "task solved; null for an infrastructure error", True),
    Column("reward", REAL, "reward in [0, 1]; null for an infrastructure error", True),
    Column("steps", INT, "actions taken after the prefix, the forced one included", True),
    Column("invalid_actions", INT, "how many of them were not admissible", True),
    Column("tokens_in", INT, "prompt tokens", True),
    Column("tokens_out", INT, "generated tokens", True),
    _THOUGHT,
    Column("status", TEXT, "one of " + ", ".join(STATUSES)),
    Column("actions", TEXTS, "actions taken after the prefix"),
)
SCORES = _table(
    "scores",
    "pool evaluator failure_id t candidate_id",
    _POOL,
    _EVALUATOR,
    _FAILURE,
    _T,
    _CANDIDATE,
    Column("score", REAL, "higher is better; null if the evaluator gave none", True),
)
SELECTIONS = _table(
    "selections",
    "pool evaluator scope failure_id t candidate_id",
    _POOL,
    _EVALUATOR,
    Column("scope", TEXT, "position or failure"),
    _FAILURE,
    _T,
    _CANDIDATE,
    Column("weight", REAL, "probability that the evaluator selects this candidate"),
)
VALUES = _table(
    "values",
    "pool evaluator scope failure_id t",
    _POOL,
    _EVALUATOR,
    Column("scope", TEXT, "position or failure"),
    _FAILURE,
    Column("t", INT, "step; null in scope failure", True),
    Column("value", REAL, "held-out net gain of the evaluator's selection", True),
    Column("matched_value", REAL, "the same of matched selection", True),
    Column("loss", REAL, "matched_value minus value"),
)
RESULTS = _table(
    "results",
    "pool analysis evaluator estimand",
    _POOL,
    Column("analysis", TEXT, "group of statistics"),
    Column("evaluator", TEXT, "what is measured, mostly an evaluator"),
    Column("estimand", TEXT, "what is estimated"),
    Column("estimate", REAL, "point estimate; null if it cannot be computed", True),
    Column("ci_low", REAL, "lower end of the interval", True),
    Column("ci_high", REAL, "upper end of the interval", True),
    Column("p_value", REAL, "one-sided p-value", True),
    Column("p_holm", REAL, "p-value after Holm's correction within its family", True),
    Column("reject", FLAG, "whether the null hypothesis is rejected", True),
    Column("n_failures", INT, "failures behind the estimate"),
    Column("n_rollouts", INT, "distinct rollouts behind the estimate"),
    Column("rollouts_query", TEXT, "SQL on this database that lists exactly those rollouts"),
    Column("confirmatory", FLAG, "named by the frozen plan"),
    Column("note", TEXT, "what a reader must know of this row", True),
)
PREREGISTRATION = _table(
    "preregistration",
    "plan_hash",
    Column("plan_hash", TEXT, "hash of the frozen plan"),
    Column("registration", TEXT, "hash of plan, settings, time and commit; every run records it"),
    Column("frozen_at", TIME, "when it was frozen"),
    Column("commit", TEXT, "git commit of the workflow, or 'unknown'"),
    Column("plan", TEXT, "the plan as JSON"),
    Column("settings", TEXT, "what of the configuration was frozen with it, as JSON"),
    Column("amendments", TEXT, "JSON list of later changes, each with its time and diff"),
    Column("remarks", TEXT, "JSON list of what the records of the rollouts say against it"),
)
INFRASTRUCTURE = _table(
    "infrastructure",
    "executor_id role is_original",
    _EXECUTOR,
    Column("executor", TEXT, "executor's name"),
    Column("role", TEXT, "rollout role"),
    Column("is_original", FLAG, "rollouts of the original action, or of candidates"),
    Column("rollouts", INT, "distinct rollouts of this arm"),
    Column(
        "retried", INT, "how many of them ended in an infrastructure error before they finished"
    ),
    Column("errors", INT, "infrastructure errors, all attempts counted"),
)
AUDIT = _table(
    "audit",
    "environment check",
    Column("environment", TEXT, "environment's name"),
    Column("check", TEXT, "what was checked"),
    Column("passed", FLAG, "whether it held; null where it cannot be checked", True),
    Column("detail", TEXT, "what was looked at, what was wrong, or why it cannot be checked"),
)
PROVENANCE = _table(
    "provenance",
    "study",
    Column("study", TEXT, "study's name"),
    Column("config", TEXT, "configuration as JSON"),
    Column("versions", TEXT, "versions of the packages that made the tables, as JSON"),
    Column("models", TEXT, "identity of each model, with the fingerprint of its weights, as JSON"),
    Column("data", TEXT, "SHA-256 of prompts and of data of the environment, as JSON"),
    Column("machines", TEXT, "hardware that ran rollouts, and what was installed there, as JSON"),
    Column("commands", TEXT, "command lines that ran rollouts, as JSON"),
    Column("tables", TEXT, "SHA-256 of the canonical content of each other table, as JSON"),
    Column("started", TIME, "first rollout of the study", True),
    Column("finished", TIME, "last rollout of the study", True),
)
BUILD = _table(
    "build",
    "study",
    Column("study", TEXT, "study's name"),
    Column("built_at", TIME, "when this database was built"),
    Column("machine", TEXT, "hardware of the machine that built it, as JSON"),
    Column("command", TEXT, "command line that built it"),
    Column("commit", TEXT, "git commit of the workflow then, or 'unknown'"),
)
EXACT_VALUES = _table(
    "exact_values",
    "failure_id t candidate_id executor",
    _FAILURE,
    _T,
    _CANDIDATE,
    Column("executor", TEXT, "executor's name"),
    Column("value", REAL, "exact probability of success after the candidate"),
)
FAILURE_LABELS = _table(
    "failure_labels",
    "failure_id axis label",
    _FAILURE,
    Column("axis", TEXT, "failure_type, source, stage or capability"),
    Column("label", TEXT, "what a rule on the recorded steps says of the failure"),
    Column("evidence", TEXT, "which rule, at which steps"),
)
LLM_LABELS = _table(
    "llm_labels",
    "failure_id labeller axis label",
    _FAILURE,
    Column("labeller", TEXT, "model that read the run, by its name in the configuration"),
    Column("axis", TEXT, "failure_type"),
    Column("label", TEXT, "what the model says of the failure; a label that detectors know"),
)
POLICIES = _table(
    "policies",
    "observation action",
    Column("observation", TEXT, "what the executor sees"),
    Column("action", TEXT, "an admissible action there"),
    Column("place", INT, "its place among the admissible actions, from 0"),
    Column("logprob", REAL, "unconstrained natural-log probability that the model gives it"),
)
COSTS = _table(
    "costs",
    "executor_id role",
    _EXECUTOR,
    Column("role", TEXT, "rollout role"),
    Column("rollouts", INT, "finished rollouts"),
    Column("steps", INT, "actions"),
    Column("tokens_in", INT, "prompt tokens"),
    Column("tokens_out", INT, "generated tokens"),
    _THOUGHT,
)
VALIDATION = _table(
    "validation",
    "check population method quantity own_rollouts failures clusters",
    Column("check", TEXT, "bias, coverage, family-wise error, or power"),
    Column("population", TEXT, "where the failures come from; their true values are known"),
    Column("method", TEXT, "estimator, interval or test that was measured"),
    Column("quantity", TEXT, "what of it"),
    Column("own_rollouts", INT, "own rollouts that select", True),
    Column("failures", INT, "failures of a replicated study", True),
    Column("clusters", INT, "clusters that the bootstrap draws from them", True),
    Column("value", REAL, "bias, rate, or measured power minus the formula's"),
    Column("mc_error", REAL, "Monte Carlo standard error of the value"),
    Column("target_low", REAL, "least value on target", True),
    Column("target_high", REAL, "largest value on target", True),
    Column("verdict", TEXT, "met, missed, undecided (inside by less than two mc_error), reported"),
    Column("expected", REAL, "nominal rate, exact value, or power by the formula", True),
    Column("replicates", INT, "replicated studies"),
    Column("contrast", FLAG, "a wrong way, which has to miss its target"),
    Column("note", TEXT, "what a reader must know of this row", True),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        EXECUTORS, TRAJECTORIES, STEPS, COLLECTED_FAILURES, FAILURES, POSITIONS, CANDIDATES,
        PROPOSALS, WORKLIST, CACHED_ROLLOUTS, ROLLOUTS, SCORES, SELECTIONS, VALUES, RESULTS,
        PREREGISTRATION, INFRASTRUCTURE, AUDIT, PROVENANCE, BUILD, EXACT_VALUES,
        FAILURE_LABELS, LLM_LABELS, POLICIES,
        COSTS, VALIDATION, IMPORTED_RUNS,
    )
}  # fmt: skip
