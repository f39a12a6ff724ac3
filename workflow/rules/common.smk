"""The checked configuration, and what rules derive from it."""

from pathlib import Path

from snakemake.exceptions import WorkflowError

from repairstudy.config import OutcomesConfig, parse_study
from repairstudy.errors import StudyError

ENVIRONMENT = "../envs/repairstudy.yaml"
STAGES = ("screen", "main", "fresh")

try:
    STUDY = parse_study(config, ", ".join(map(str, workflow.configfiles)))
except StudyError as error:
    raise WorkflowError(f"The configuration is not usable.\n{error}") from None

FROM_OUTCOMES = isinstance(STUDY, OutcomesConfig)
RESULTS = Path(STUDY.results) / STUDY.study
LOGS = RESULTS / "logs"

if not FROM_OUTCOMES:
    EXECUTING_MODELS = sorted({executor.model for executor in STUDY.executors.values()})
    CHOICE_EXECUTORS = sorted(
        name for name, executor in STUDY.executors.items() if executor.decoding.mode == "choice"
    )
    CHECKPOINTS = {
        name: Path(model.path) / "model.safetensors"
        for name, model in STUDY.models.items()
        if model.kind == "vllm" and Path(model.path).parts[:2] == ("resources", "models")
    }


def checkpoint_of_model(model):
    """The checkpoint that a rule of this workflow makes or ships, if the model has one."""
    return [CHECKPOINTS[model]] if model in CHECKPOINTS else []


def checkpoint_of_executor(wildcards):
    return checkpoint_of_model(STUDY.executors[wildcards.executor].model)


def checkpoint_of_proposer(wildcards):
    return checkpoint_of_model(STUDY.candidates.proposers[wildcards.proposer].model)


def checkpoint(wildcards):
    return checkpoint_of_model(wildcards.model)


def judge_checkpoint(wildcards):
    return checkpoint_of_model(STUDY.evaluators.judge.model) if STUDY.evaluators.judge else []


def policies_of_model(wildcards):
    """The stored action distributions that the model's executors sample from."""
    return [
        RESULTS / "policies" / f"{name}.parquet"
        for name in CHOICE_EXECUTORS
        if STUDY.executors[name].model == wildcards.model
    ]


def policy_of_executor(wildcards):
    chosen = wildcards.executor in CHOICE_EXECUTORS
    return [RESULTS / "policies" / f"{wildcards.executor}.parquet"] if chosen else []


def server_threads(wildcards):
    """Cores that the job's model server binds; 1 where no server runs on this machine."""
    if hasattr(wildcards, "executor"):
        model = STUDY.executors[wildcards.executor].model
    elif hasattr(wildcards, "proposer"):
        model = STUDY.candidates.proposers[wildcards.proposer].model
    elif hasattr(wildcards, "model"):
        model = wildcards.model
    elif STUDY.evaluators.judge:
        model = STUDY.evaluators.judge.model
    else:
        return 1
    section = STUDY.models[model]
    return section.threads if section.kind == "vllm" else 1
