"""An engine from plain settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from repairstudy.engines.base import Engine
from repairstudy.engines.checkpoint import checkpoint_fingerprint
from repairstudy.engines.http import Endpoint, key_from_environment
from repairstudy.engines.lazy import LazyEngine
from repairstudy.engines.local import TransformersEngine
from repairstudy.engines.nobody import NoEngine
from repairstudy.engines.openai import OpenAiEngine
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.engines.vllm import VllmEngine, VllmServer, VllmSettings
from repairstudy.errors import ConfigError

__all__ = ["checkpoint_fingerprint", "open_engine"]


def open_engine(
    kind: Literal["vllm", "transformers", "openai", "simulated", "scripted"],
    *,
    path: str | None = None,
    url: str | None = None,
    served_name: str | None = None,
    api_key_env: str | None = None,
    python: str = ".venv-vllm/bin/python",
    device: Literal["auto", "cpu", "gpu"] = "auto",
    threads: int = 2,
    max_model_len: int = 1024,
    arguments: Sequence[str] = (),
    concurrency: int = 32,
    parameters: Mapping[str, Any] | None = None,
    chat: bool = False,
    log: str | Path = "vllm.log",
) -> Engine:
    """An engine; nothing is started or connected before its first request.

    Args:
        kind: "vllm": a server of our own (`path`, `python`, `device`, `threads`, `max_model_len`,
            `arguments`, `log`); "transformers": a small checkpoint without a server (`path`,
            `python`, `threads`, `log`); "openai": a standing server (`url`, `served_name`,
            `api_key_env`); "simulated": a planted policy (`parameters`); "scripted":
            nobody, its executors are rules.
        path: folder or hub name of a checkpoint.
        served_name: the name under which the model answers; for vllm by default that of `path`.
        api_key_env: environment variable with the server's key.
        concurrency: requests in flight at most.
        chat: openai: send prompts as a user's message to the chat route.
        log: file for the output of a server of our own.

    Raises:
        ConfigError: a setting that the kind needs is missing or impossible.
    """
    if kind == "scripted":
        return NoEngine()
    if kind == "simulated":
        return SimulatedEngine(planted_policy(parameters or {}))
    if kind == "openai":
        endpoint = Endpoint(_needed("url", url, kind), concurrency=concurrency)
        model = _needed("served_name", served_name, kind)
        return OpenAiEngine(endpoint, model, key=key_from_environment(api_key_env), chat=chat)
    if kind not in ("vllm", "transformers"):
        accepted = "vllm, transformers, openai, simulated, scripted"
        raise ConfigError(f"kind: {kind!r} (accepted: {accepted})")
    model_path = _needed("path", path, kind)
    if kind == "transformers":
        return LazyEngine(
            lambda: TransformersEngine.started(python, model_path, threads, Path(log))
        )
    settings = VllmSettings(
        python=python,
        model=model_path,
        served_name=served_name or Path(model_path).name,
        device=device,
        threads=threads,
        max_model_len=max_model_len,
        arguments=tuple(arguments),
        concurrency=concurrency,
    )
    return LazyEngine(lambda: VllmEngine.started(VllmServer(settings, Path(log))))


def _needed(name: str, value: str | None, kind: str) -> str:
    if not value:
        raise ConfigError(f"{name}: required by kind '{kind}' and missing")
    return value
