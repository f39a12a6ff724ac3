"""An engine from plain settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from repairstudy.engines.base import Engine
from repairstudy.engines.checkpoint import checkpoint_fingerprint
from repairstudy.engines.endpoint import Endpoint, read_key
from repairstudy.engines.fingerprint import Fingerprint, Reference
from repairstudy.engines.fleet import Fleet, Patience
from repairstudy.engines.lazy import LazyEngine
from repairstudy.engines.nobody import NoEngine
from repairstudy.engines.openai import OpenAiEngine
from repairstudy.engines.owned import start_scorer, start_servers
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.engines.vllm_command import VllmSettings
from repairstudy.errors import ConfigError

__all__ = ["ask_fingerprint", "checkpoint_fingerprint", "open_engine"]


def open_engine(
    kind: Literal["vllm", "transformers", "openai", "simulated", "scripted"],
    *,
    path: str | None = None,
    url: str | Sequence[str] | None = None,
    served_name: str | None = None,
    api_key_env: str | None = None,
    api_key_file: str | None = None,
    reference: Reference | None = None,
    python: str = ".venv-vllm/bin/python",
    device: Literal["auto", "cpu", "gpu"] = "auto",
    threads: int = 2,
    servers: int = 1,
    gpus: int | None = None,
    restarts: int = 3,
    silence: float = 180.0,
    max_model_len: int = 1024,
    arguments: Sequence[str] = (),
    concurrency: int = 32,
    timeout: float = 300.0,
    patience: float = 300.0,
    parameters: Mapping[str, Any] | None = None,
    chat: bool = False,
    log: str | Path = "vllm.log",
) -> Engine:
    """An engine; nothing is started or connected before its first request.

    Args:
        kind: "vllm": servers of our own (`path`, `python`, `device`, `threads`, `servers`,
            `gpus`, `restarts`, `silence`, `max_model_len`, `arguments`, `log`); "openai":
            standing servers (`url`, `served_name`, `api_key_env` or `api_key_file`, `reference`,
            `patience`, `chat`); "transformers": a small checkpoint in a process beside this one
            (`path`, `python`, `threads`, `restarts`, `silence`, `log`); "simulated": a planted
            policy (`parameters`); "scripted": nobody, its executors are rules.
        path: folder or hub name of a checkpoint.
        url: openai: of one server or of several that serve the same model.
        served_name: the name under which the model answers; for vllm by default that of `path`.
        api_key_env, api_key_file: environment variable or file with the server's key.
        reference: openai: the model that the servers must have; None: whatever the first has.
        concurrency: requests in flight at most, at each server.
        timeout: seconds one request may take.
        patience: openai: seconds that servers may be away or busy before a request fails.
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
        model = _needed("served_name", served_name, kind)
        key = read_key(api_key_env, api_key_file)
        reference = reference or Reference()
        engines = [
            (base, OpenAiEngine(Endpoint(base, concurrency, timeout), model,
                                key=key, chat=chat, reference=reference))
            for base in urls_of(url)
        ]  # fmt: skip
        return Fleet(engines, Patience(patience), sticky=True, places=concurrency)
    if kind not in ("vllm", "transformers"):
        accepted = "vllm, transformers, openai, simulated, scripted"
        raise ConfigError(f"kind: {kind!r} (accepted: {accepted})")
    model_path = _needed("path", path, kind)
    if kind == "transformers":
        return LazyEngine(
            lambda: start_scorer(python, model_path, threads, Path(log), restarts, silence)
        )
    settings = VllmSettings(
        python=python,
        model=model_path,
        served_name=served_name or Path(model_path).name,
        device=device,
        threads=threads,
        servers=servers,
        gpus=gpus,
        restarts=restarts,
        silence=silence,
        max_model_len=max_model_len,
        arguments=tuple(arguments),
        concurrency=concurrency,
        timeout=timeout,
    )
    return LazyEngine(lambda: start_servers(settings, Path(log)), places=concurrency * servers)


async def ask_fingerprint(
    url: str | Sequence[str],
    served_name: str,
    *,
    api_key_env: str | None = None,
    api_key_file: str | None = None,
    chat: bool = False,
    strict: bool = True,
    timeout: float = 60.0,
) -> Fingerprint:
    """The fingerprint of the model that all these servers have.

    Args:
        strict: False leaves in only names (see `Reference`).

    Raises:
        WrongModel: a server lacks the model, or two have different ones.
        EngineError: a server does not answer.
    """
    key, reference = read_key(api_key_env, api_key_file), Reference(strict=strict)
    for base in urls_of(url):
        engine = OpenAiEngine(
            Endpoint(base, timeout=timeout), served_name, key=key, chat=chat, reference=reference
        )
        try:
            reference.check(base, await engine.fingerprint())
        finally:
            await engine.close()
    return reference.seen()


def urls_of(url: str | Sequence[str] | None) -> tuple[str, ...]:
    """The servers that a setting names, each once, in its order.

    Raises:
        ConfigError: it names none.
    """
    listed = (url,) if isinstance(url, str) else tuple(url or ())
    if not all(listed) or not listed:
        raise ConfigError("url: required by kind 'openai' and missing")
    return tuple(dict.fromkeys(base.rstrip("/") for base in listed))


def _needed(name: str, value: str | None, kind: str) -> str:
    if not value:
        raise ConfigError(f"{name}: required by kind '{kind}' and missing")
    return value
