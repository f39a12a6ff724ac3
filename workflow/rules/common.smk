"""The checked configuration, and what rules derive from it."""

import hashlib
import os
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

from repairstudy.cli.dry_run import announce, is_dry_run, tell_who_watches
from repairstudy.cli.ended import failures, products
from repairstudy.cli.machine import COMMAND, command_line
from repairstudy.config import OutcomesConfig, parse_study
from repairstudy.config.audited import audited_environment, named_environment
from repairstudy.config.devices import gpu_here, gpus_of
from repairstudy.config.files import require_named
from repairstudy.errors import StudyError
from repairstudy.executors import make_protocol

ENVIRONMENT = "../envs/repairstudy.yaml"
SMOLLM2 = Path("resources/models/smollm2-135m-instruct/model.safetensors")
# Option that names the folder of an environment's data, and the file that completes the folder.
ENVIRONMENT_DATA = {"alfworld": ("games", "manifest.json"), "webshop": ("data", "prepared.json")}
LOCAL_MODELS = ("vllm", "transformers")  # kinds that a job runs on its own machine
STAGES = ("screen", "main", "fresh")
# Memory of a job that runs a model, by whether it runs on this machine; of its first attempt.
SERVED_HERE_MB, SERVED_ELSEWHERE_MB = 32_000, 8_000

# What the shipped policy LMs were made with; see resources/models/README.md.
LESSON_LAYOUTS, LESSON_SEED, TRAINING_SEED = 500, 1001, 3
TRAINING_STEPS = {"weak": 300, "strong": 140}

# The jobs of this call are other processes and record who started them.
os.environ.setdefault(COMMAND, command_line(sys.argv))

GIVEN = workflow.config_settings.config  # by --config
CONFIGURATION = ", ".join([*map(str, workflow.configfiles), *(["--config"] if GIVEN else [])])

try:
    named_environment(GIVEN.get("environment"))
    STUDY = parse_study(config, CONFIGURATION)
    AUDITED = audited_environment(STUDY, GIVEN.get("environment"))
    if workflow.is_main_process:
        require_named(STUDY, CONFIGURATION)
except StudyError as error:
    raise WorkflowError(f"The configuration is not usable.\n{error}") from None

FROM_OUTCOMES = isinstance(STUDY, OutcomesConfig)
RESULTS = Path(STUDY.results) / STUDY.study
LOGS = RESULTS / "logs"
STARTED = time.time()
if workflow.is_main_process and is_dry_run(sys.argv) and not FROM_OUTCOMES:
    announce(STUDY)
LABELLER = None if FROM_OUTCOMES else STUDY.labeller  # as wildcards: it names the job's model

if not FROM_OUTCOMES:
    EXECUTING_MODELS = sorted({executor.model for executor in STUDY.executors.values()})
    # Their next action depends on what they see alone: it is asked for once, before any rollout.
    MEMORYLESS_EXECUTORS = sorted(
        name
        for name, executor in STUDY.executors.items()
        if STUDY.models[executor.model].kind != "scripted"
        and executor.decoding.mode == "choice"
        and make_protocol(executor.protocol).memoryless
    )


def model_of(wildcards):
    """The model that a job talks to; a job without a wildcard of one is the judge's."""
    if hasattr(wildcards, "executor"):
        return STUDY.executors[wildcards.executor].model
    if hasattr(wildcards, "proposer"):
        return STUDY.candidates.proposers[wildcards.proposer].model
    if hasattr(wildcards, "model"):
        return wildcards.model
    return STUDY.evaluators.judge.model if STUDY.evaluators.judge else None


def local_checkpoint(wildcards):
    """The weights of the job's model, where they are a file of this machine or of a rule."""
    model = STUDY.models.get(model_of(wildcards))
    if model is None or model.kind not in LOCAL_MODELS:
        return []
    weights = Path(model.path) / "model.safetensors"
    made_here = weights.parent.parts[:2] == ("resources", "models")
    return [weights] if made_here or weights.exists() else []


def environment_data(wildcards):
    """What says that the data are in place; the workflow puts there what lies under resources/."""
    return data_of(STUDY.environment)


def data_of(environment):
    """The same of any environment's section."""
    option, marker = ENVIRONMENT_DATA.get(environment.name, (None, None))
    if option is None or option not in environment.options:
        return []
    complete = Path(environment.options[option]) / marker
    placed_here = complete.parts[:2] == ("resources", environment.name)
    return [complete] if placed_here or complete.exists() else []


def weights_stamp(wildcards):
    """Changes when somebody puts other weights into a checkpoint's folder.

    A file's time would not do: in a fresh clone it is the time of cloning, and a copy of
    finished results would be run again.
    """
    weights = [path for path in local_checkpoint(wildcards) if path != SMOLLM2]
    return [content_stamp(path) for path in weights]


def content_stamp(path):
    """A hash of a file's size and of its first and last MiB."""
    path = Path(path)
    if not path.exists():
        return "missing"
    with path.open("rb") as file:
        parts = [str(path.stat().st_size).encode(), file.read(2**20)]
        file.seek(max(0, path.stat().st_size - 2**20))
        parts.append(file.read())
    return hashlib.sha256(b"".join(parts)).hexdigest()


def runs_made_elsewhere(wildcards):
    """The file of failed runs that are imported instead of collected."""
    return STUDY.collection.runs[wildcards.executor]


def policies_of_model(wildcards):
    """The stored action distributions that the model's executors sample from."""
    return [
        RESULTS / "policies" / f"{name}.parquet"
        for name in MEMORYLESS_EXECUTORS
        if STUDY.executors[name].model == wildcards.model
    ]


def policy_of_executor(wildcards):
    chosen = wildcards.executor in MEMORYLESS_EXECUTORS
    return [RESULTS / "policies" / f"{wildcards.executor}.parquet"] if chosen else []


def server_threads(wildcards):
    """Cores that the job's model servers bind; 1 where none runs on this machine."""
    model = STUDY.models.get(model_of(wildcards))
    return model.threads * model.servers if model and model.kind in LOCAL_MODELS else 1


def server_record(wildcards):
    """What was recorded of the standing server that the job talks to."""
    return records_of([model_of(wildcards)])


def executing_servers(wildcards):
    """What was recorded of all standing servers whose models act: part of executors' identities."""
    return records_of(EXECUTING_MODELS)


def records_of(models):
    standing = [name for name in models if name and STUDY.models[name].kind == "openai"]
    return [RESULTS / "servers" / f"{name}.json" for name in standing]


def model_gpus(wildcards):
    """GPUs that the job's model takes; `device: auto` takes none where this machine has none."""
    name = model_of(wildcards)
    model = STUDY.models.get(name)
    if model is None or (model.device == "auto" and not may_run_on_gpu()):
        return 0
    return gpus_of(name, model)


def may_run_on_gpu():
    """Whether jobs go to other machines, or to this one and it has a GPU."""
    return workflow.non_local_exec_or_dryrun or gpu_here()


def model_mem_mb(wildcards, attempt):
    """Memory of a job that runs a model; a job that failed, perhaps for lack of it, gets more."""
    model = STUDY.models.get(model_of(wildcards))
    here = model is not None and model.kind in LOCAL_MODELS
    return (SERVED_HERE_MB if here else SERVED_ELSEWHERE_MB) * attempt


def training_steps(wildcards):
    return TRAINING_STEPS[wildcards.kind]
