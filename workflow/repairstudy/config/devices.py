"""How many GPUs the job of a model takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from repairstudy.config.sections import ModelSection
from repairstudy.errors import ConfigError

# vLLM gives each rank a GPU of its own; the ranks are the product of these.
_RANKS = {
    "--tensor-parallel-size": "-tp",
    "--pipeline-parallel-size": "-pp",
    "--data-parallel-size": "-dp",
}


def gpus_of(name: str, model: ModelSection) -> int:
    """GPUs that the servers of a model take where there are GPUs; 0: it needs none.

    Args:
        name: the model's key, for messages.

    Raises:
        ConfigError: an argument that says how many is no number.
    """
    if model.kind != "vllm" or model.device == "cpu":
        return 0
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for long, short in _RANKS.items():
        parser.add_argument(long, short, type=int, default=1)
    try:
        ranks, _ = parser.parse_known_args(model.arguments)
    except argparse.ArgumentError as error:
        raise ConfigError(f"models.{name}.arguments: {error}") from error
    total = 1
    for number in vars(ranks).values():
        total *= number
    return (model.gpus or total) * model.servers


def gpu_here() -> bool:
    """Whether this machine shows a GPU, by the files that `device: auto` goes by when it serves."""
    return any(Path(driver).exists() for driver in ("/dev/nvidiactl", "/dev/kfd"))
