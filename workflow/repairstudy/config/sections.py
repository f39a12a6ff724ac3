"""The sections of a study's configuration; each field says what it means."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from repairstudy.checked import Section

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class EnvironmentSection(Section):
    """The task world and the step budget."""

    name: str = Field(description="Name of an installed environment (entry point).")
    budget: Positive = Field(description="Actions an episode may take in all.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of the environment, as its class takes them."
    )


class ModelSection(Section):
    """One model, and who serves it."""

    kind: Literal["vllm", "transformers", "openai", "simulated", "scripted"] = Field(
        description="vllm: a server that the job starts; transformers: a small local checkpoint in "
        "a process beside the job, for decoding.mode choice alone; openai: a URL; simulated: a "
        "known policy; scripted: a rule that acts, no language model."
    )
    path: str | None = Field(
        default=None,
        description="vllm: folder or hub name of a Hugging Face checkpoint; transformers: folder.",
    )
    url: str | Annotated[tuple[str, ...], Field(strict=False)] | None = Field(
        default=None,
        description="openai: base URL of the server, such as http://host:8000/v1, or a list of "
        "several that serve the same model and share the work.",
    )
    served_name: str | None = Field(
        default=None, description="openai: the model name that the server must report."
    )
    revision: str = Field(
        default="main", description="Revision of the weights; recorded, and fetched from a hub."
    )
    api_key_env: str | None = Field(
        default=None, description="openai: environment variable that holds the key; never a key."
    )
    api_key_file: str | None = Field(
        default=None, description="openai: file that holds the key, instead of `api_key_env`."
    )
    fingerprint: Literal["strict", "name"] = Field(
        default="strict",
        description="openai: what tells the model from another; strict: all that the server says "
        "of it, and its likeliest first tokens; name: its names alone, for a provider who changes "
        "what is behind them.",
    )
    chat: Literal["none", "chatml", "llama3", "messages"] = Field(
        default="none",
        description="How a prompt becomes a user's message. none: it does not, the model continues "
        "the text; chatml, llama3: the markup of Qwen and of Llama 3 around the template; "
        "messages: the server's chat route (openai only).",
    )
    python: str = Field(
        default=".venv-vllm/bin/python",
        description="vllm, transformers: interpreter of their environment.",
    )
    device: Literal["auto", "cpu", "gpu"] = Field(
        default="auto", description="vllm: auto takes a GPU if one is visible."
    )
    threads: Positive = Field(default=2, description="vllm on a CPU, transformers: cores it uses.")
    servers: Positive = Field(
        default=1, description="vllm: servers that a job starts, each with GPUs of its own."
    )
    gpus: Positive | None = Field(
        default=None,
        description="vllm: GPUs of each server; null: as many as `arguments` say, else one.",
    )
    restarts: Count = Field(
        default=3,
        description="vllm, transformers: failures of a server in a row that a job outlives.",
    )
    silence: Annotated[float, Field(gt=0.0)] = Field(
        default=180.0,
        description="vllm, transformers: seconds without any progress after which a server is "
        "started anew.",
    )
    max_model_len: Positive = Field(default=1024, description="vllm: longest prompt and answer.")
    arguments: tuple[str, ...] = Field(
        default=(), strict=False, description="vllm: further command-line arguments."
    )
    concurrency: Positive = Field(
        default=32, description="Requests in flight at most, at each server."
    )
    timeout: Annotated[float, Field(gt=0.0)] = Field(
        default=300.0,
        description="vllm, openai: seconds that one request may take, connecting and all. A "
        "reasoning model needs them.",
    )
    patience: Annotated[float, Field(ge=0.0)] = Field(
        default=300.0,
        description="openai: seconds that the servers may be away or busy before a request fails.",
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict,
        description="simulated: parameters of the planted policy; scripted: `policy`, the name of "
        "an installed policy (entry point), and its parameters.",
    )


class DecodingSection(Section):
    """How text is drawn from the model."""

    mode: Literal["choice", "text"] = Field(
        default="choice",
        description="choice: one token among the admissible actions; text: free text, parsed.",
    )
    temperature: Annotated[float, Field(ge=0.0, le=5.0)] = Field(
        default=0.7, description="0 is greedy."
    )
    top_p: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.95, description="Smallest probability mass that is sampled from."
    )
    top_k: Count = Field(default=0, description="Most likely tokens sampled from; 0: all.")
    max_tokens: Positive = Field(default=1, description="Longest answer in tokens.")
    stop: tuple[str, ...] = Field(
        default=(), strict=False, description="Strings that end an answer."
    )


class ExecutorSection(Section):
    """An executor: a model under a prompt and history protocol with its decoding."""

    model: Name = Field(description="Key of `models`.")
    protocol: str = Field(
        default="scripted", description="Prompt and history protocol; of a scripted model: none."
    )
    prompt: str | None = Field(
        default=None, description="File of the prompt template; required unless scripted."
    )
    decoding: DecodingSection = Field(default_factory=DecodingSection)
    invalid_limit: Count = Field(
        default=5, description="Invalid actions that a run survives; one more ends it."
    )


class ScreenSection(Section):
    """How a screened pool is screened, with rollouts of their own."""

    rollouts: Positive = Field(default=5, description="Screening rollouts a candidate.")
    minimal_gain: Share = Field(
        default=0.4, description="A failure passes if some candidate gains at least this much."
    )
    among: Positive = Field(
        default=60, description="Failures, in collection order, that are screened."
    )


class PoolSection(Section):
    """A pool of failures of one deployed executor."""

    deployed: Name = Field(description="Key of `executors`: who failed and will act.")
    size: Positive = Field(default=60, description="Failures: the first in collection order.")
    screen: ScreenSection | None = Field(
        default=None, description="Keep only failures where some candidate has repair value."
    )


class CollectionSection(Section):
    """How failed runs are collected."""

    max_episodes: Positive = Field(
        default=20_000, description="Episodes after which collecting gives up."
    )
    max_per_cluster: Positive | None = Field(
        default=None, description="Most failures of one task cluster in a pool; null: no cap."
    )
    runs: dict[Name, str] = Field(
        default_factory=dict,
        description="Failed runs made elsewhere, instead of collecting: a file of runs for a "
        "deployed executor, whose runs they are taken for (`repairstudy import-runs` writes one).",
    )
    drop_unusable: bool = Field(
        default=False,
        description="Leave out runs of such a file that did not fail or do not replay, and say so "
        "in the report; false: refuse the file.",
    )


class PositionsSection(Section):
    """Which steps of a failure are repaired."""

    per_failure: Positive = Field(default=3, description="Positions sampled a failure, at most.")
    slack: Positive = Field(default=5, description="Actions that must be left at a position.")


class ProposerSection(Section):
    """A language model that proposes replacement actions."""

    model: Name = Field(description="Key of `models`.")
    prompt: str = Field(description="File of the prompt template.")
    protocol: str | None = Field(
        default=None,
        description="Ask as an executor under this protocol; null: fill the template with what is "
        "known of the position.",
    )
    decoding: DecodingSection = Field(default_factory=DecodingSection)


class CandidatesSection(Section):
    """Where candidate repairs come from."""

    proposers: dict[Name, ProposerSection] = Field(
        default_factory=dict, description="Proposing language models by source name."
    )
    proposals: Positive = Field(default=2, description="Proposals of each proposer a position.")
    privileged: bool = Field(default=True, description="Add the planner's action.")
    random: Count = Field(default=1, description="Random admissible actions a position.")
    all_admissible: bool = Field(
        default=False, description="Add every admissible action (source: clickable)."
    )


def _defaults(content: Any) -> Any:
    """YAML reads a name with nothing after it as null; all its keys have their defaults then."""
    return {} if content is None else content


class EvaluatorExecutor(Section):
    """An executor whose rollouts evaluate the candidates of other executors' pools."""

    rollouts: Positive = Field(default=20, description="Rollouts a candidate.")
    equal_budget: Positive | None = Field(
        default=5, description="Also score with this many of them (NAME@5); null: not."
    )
    positions: Literal["all", "primary"] = Field(
        default="all", description="Which positions it evaluates."
    )
    pools: tuple[Name, ...] | None = Field(
        default=None, strict=False, description="Only these pools; null: all pools of others."
    )


class JudgeSection(Section):
    """A language model that ranks the candidates from text alone."""

    model: Name = Field(description="Key of `models`.")
    prompt: str = Field(description="File of the prompt template.")
    max_tokens: Positive = Field(default=24, description="Longest answer in tokens.")
    temperature: Annotated[float, Field(ge=0.0)] = Field(default=0.0, description="0 is greedy.")
    stop: tuple[str, ...] = Field(
        default=("\n",),
        strict=False,
        description="Strings that end an answer; none for a model that thinks aloud first.",
    )
    positions: Literal["all", "primary"] = Field(
        default="primary", description="Which positions it ranks."
    )


class LabellerSection(Section):
    """A language model that says what went wrong in each failure, beside the detectors."""

    model: Name = Field(description="Key of `models`.")
    prompt: str = Field(description="File of the prompt template.")
    max_tokens: Positive = Field(default=64, description="Longest answer in tokens.")
    temperature: Annotated[float, Field(ge=0.0)] = Field(default=0.0, description="0 is greedy.")
    stop: tuple[str, ...] = Field(
        default=("\n",),
        strict=False,
        description="Strings that end an answer; none for a model that thinks aloud first.",
    )


class EvaluatorsSection(Section):
    """Who scores candidates. Own-rollout evaluators need no entry: they use the label rollouts."""

    greedy: Count = Field(default=2, description="Greedy replays a candidate; 0: no evaluator.")
    low_temperature: Count = Field(
        default=10, description="Rollouts at temperature 0.3 a candidate; 0: no evaluator."
    )
    solvability: bool = Field(default=True, description="Is the goal still within reach?")
    planner: bool = Field(default=True, description="Shortest remaining plan.")
    executors: dict[Name, Annotated[EvaluatorExecutor, BeforeValidator(_defaults)]] = Field(
        default_factory=dict, description="Other executors' rollouts, by key of `executors`."
    )
    judge: JudgeSection | None = Field(default=None, description="LLM judge; null: none.")


class AuditSection(Section):
    """How thoroughly a study makes sure that its environment's reward can be trusted."""

    tasks: Positive = Field(
        default=12,
        description="Tasks whose scoring is audited, at most; half as many where playing is slow.",
    )
    planted: bool = Field(
        default=True, description="Also plant defective scorers and see which the audit catches."
    )


class RolloutsSection(Section):
    """How many rollouts label each candidate, and how they are run."""

    label: Positive = Field(default=10, description="Rollouts of the deployed executor each.")
    control: Count = Field(
        default=5, description="Own rollouts with other seeds, for a negative control."
    )
    fresh: Count = Field(
        default=20, description="Fresh rollouts on each candidate of a disagreement."
    )
    max_in_flight: Positive = Field(
        default=256,
        description="Episodes open in one job, at most; fewer where more would not help the model.",
    )
    environment_timeout: Annotated[float, Field(gt=0.0)] = Field(
        default=600.0, description="Seconds that one call of an environment process may take."
    )
    retries: Count = Field(default=2, description="Retries after an infrastructure error.")
