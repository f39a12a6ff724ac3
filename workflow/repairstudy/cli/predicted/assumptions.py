"""What is assumed where a configuration alone does not tell; each may be given otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from repairstudy.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Shares and rates, none of them measured on the study itself.

    Attributes:
        failing: share of collected runs that fail.
        steps: share of the actions left in the budget that a run takes on average.
        distinct: distinct candidates beside the original, as a share of what is proposed.
        passing: share of screened failures that pass the screen.
        disagreeing: share of primary positions where an evaluator's best candidate is another
            than the deployed executor's, so that both get fresh rollouts.
        answer: tokens of a written answer, as a share of `max_tokens`.
        chars_per_token: characters of a prompt that make a token.
        gpu_prompt_tokens_per_s, gpu_answer_tokens_per_s: of one GPU with many episodes in flight,
            a 7B model in bfloat16, most of each prompt found in the prefix cache.
        cpu_prompt_tokens_per_s, cpu_answer_tokens_per_s: of SmolLM2-135M on two cores, four fifths
            of each prompt found in the prefix cache.
        environment_steps_per_s: steps that environment and scheduler make in one job.
        start_s: seconds until a server answers, once a job.
    """

    failing: float = 0.5
    steps: float = 0.5
    distinct: float = 0.25
    passing: float = 0.5
    disagreeing: float = 0.25
    answer: float = 0.5
    chars_per_token: float = 4.0
    gpu_prompt_tokens_per_s: float = 20_000.0
    gpu_answer_tokens_per_s: float = 2_000.0
    cpu_prompt_tokens_per_s: float = 2_000.0
    cpu_answer_tokens_per_s: float = 70.0
    environment_steps_per_s: float = 1_000.0
    start_s: float = 120.0

    def given(self, words: Iterable[str]) -> Assumptions:
        """With some of them otherwise, each as "name=number".

        Raises:
            ConfigError: an unknown name, or no number above 0.
        """
        known = {field.name for field in fields(self)}
        changed: dict[str, float] = {}
        for word in words:
            name, _, number = word.partition("=")
            if name not in known:
                raise ConfigError(f"assumption '{name}': unknown (known: {', '.join(known)})")
            changed[name] = positive(f"assumption {name}", number)
        return replace(self, **changed)


def positive(what: str, given: float | str) -> float:
    """A number above 0.

    Raises:
        ConfigError: it is none.
    """
    try:
        number = float(given)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        shown = given if isinstance(given, str) else f"{given:g}"
        raise ConfigError(f"{what}: '{shown}' is no number above 0")
    return number
