"""The command line and environment that serve a checkpoint with vLLM."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from repairstudy.errors import ConfigError


@dataclass(frozen=True, slots=True)
class VllmSettings:
    """How a checkpoint is served.

    Attributes:
        python: interpreter of the environment that has vLLM.
        model: folder of a Hugging Face checkpoint, or its name on the hub.
        served_name: name under which it answers.
        device: "cpu", "gpu", or "auto": a GPU if there is one.
        threads: cores that it binds on a CPU, the first of those this process may use.
        max_model_len: longest prompt with its answer, in tokens.
        max_num_seqs: requests that it batches at most.
        kv_cache_gib: memory for keys and values on a CPU.
        start_timeout: seconds until it must have answered a first request.
        grace: seconds that it has to end by itself before it is killed.
        arguments: further command-line arguments; they win over ours.
        concurrency: requests in flight at most.
        timeout: seconds that a request may take.
        servers: servers that the job starts, each with its own GPUs or cores.
        gpus: GPUs of each server; None: one server takes what is visible, several one each.
        restarts: starts after failures in a row until the job gives up.
        silence: seconds without an answer or a token, while some are due, after which it hangs.
    """

    python: str
    model: str
    served_name: str
    device: Literal["auto", "cpu", "gpu"] = "auto"
    threads: int = 2
    max_model_len: int = 1024
    max_num_seqs: int = 64
    kv_cache_gib: int = 2
    start_timeout: float = 600.0
    grace: float = 15.0
    arguments: tuple[str, ...] = ()
    concurrency: int = 32
    timeout: float = 300.0
    servers: int = 1
    gpus: int | None = None
    restarts: int = 3
    silence: float = 180.0


def module_program(settings: VllmSettings) -> tuple[str, ...]:
    """The server's program. `vllm serve` does not work with the CPU build.

    Raises:
        ConfigError: there is no such interpreter, or no GPU where one is asked for.
    """
    if shutil.which(settings.python) is None:
        raise ConfigError(
            f"python: no interpreter '{settings.python}'; `make vllm` sets up the environment"
        )
    if settings.device == "gpu" and not visible_gpus() and not Path("/dev/kfd").exists():
        raise ConfigError("device: gpu, but this job sees none; auto and cpu do without")
    return (settings.python, "-m", "vllm.entrypoints.openai.api_server")


def arguments(settings: VllmSettings, port: int) -> list[str]:
    """Command-line arguments of the server."""
    common = {
        "model": settings.model,
        "served-model-name": settings.served_name,
        "host": "127.0.0.1",
        "port": port,
        "seed": 0,
        "max-model-len": settings.max_model_len,
        "max-num-seqs": settings.max_num_seqs,
        "generation-config": "vllm",  # no sampling parameters from the model's own file
    }
    flags = [word for name, value in common.items() for word in (f"--{name}", str(value))]
    flags += ["--enable-prefix-caching", "--disable-uvicorn-access-log"]
    if on_cpu(settings):
        flags += _cpu_flags(settings)
    elif settings.gpus and settings.gpus > 1:
        flags += ["--tensor-parallel-size", str(settings.gpus)]
    return [*flags, *settings.arguments]


def environment(settings: VllmSettings, index: int = 0) -> dict[str, str]:
    """Environment variables of the server of that index.

    Raises:
        ConfigError: there are fewer GPUs than the servers need.
    """
    variables = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if Path(settings.model).is_dir():
        variables["HF_HUB_OFFLINE"] = "1"
    if on_cpu(settings):
        cores = sorted(os.sched_getaffinity(0))
        first = index * settings.threads % len(cores)
        own = cores[first : first + settings.threads]
        return variables | {
            # the automatic binding was seen to use one core only
            "VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, own)),
            "VLLM_CPU_KVCACHE_SPACE": str(settings.kv_cache_gib),
            "CUDA_VISIBLE_DEVICES": "",
        }
    if settings.servers > 1 or settings.gpus is not None:
        variables["CUDA_VISIBLE_DEVICES"] = ",".join(_own_gpus(settings, index))
    return variables


def _own_gpus(settings: VllmSettings, index: int) -> list[str]:
    each = settings.gpus or 1
    visible = visible_gpus()
    if each * settings.servers > len(visible):
        raise ConfigError(
            f"servers: {settings.servers} with {each} GPUs each need {each * settings.servers}, "
            f"but this job sees {len(visible)} ({', '.join(visible) or 'none'})"
        )
    return visible[index * each : (index + 1) * each]


def visible_gpus() -> list[str]:
    """The GPUs that this job may use, as CUDA_VISIBLE_DEVICES names them."""
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if allowed is not None:
        return [name.strip() for name in allowed.split(",") if name.strip()]
    devices = (path.name.removeprefix("nvidia") for path in Path("/dev").glob("nvidia[0-9]*"))
    return sorted((name for name in devices if name.isdigit()), key=int)


def on_cpu(settings: VllmSettings) -> bool:
    if settings.device == "auto":
        return not Path("/dev/nvidiactl").exists() and not Path("/dev/kfd").exists()
    return settings.device == "cpu"


def _cpu_flags(settings: VllmSettings) -> list[str]:
    """Chunked prefill crashes the CPU engine when a request has a seed, so a prompt must fit in
    one step; prefixes are reused in blocks of 32 tokens, the smallest that the CPU allows;
    bfloat16 is emulated, several times slower than float32, on processors without AVX-512."""
    at_once = max(8192, settings.max_model_len)
    return [
        *("--dtype", "float32", "--enforce-eager", "--block-size", "32"),
        *("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(at_once)),
    ]
