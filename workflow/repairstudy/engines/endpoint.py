"""Where a server answers, and where its key comes from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import httpx

from repairstudy.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server.

    `url` is the base of the OpenAI routes and mostly ends in /v1. `concurrency`: requests that it
    gets at the same time at most. `timeout`: seconds that one request may take in all.
    """

    url: str
    concurrency: int = 32
    timeout: float = 120.0

    def __post_init__(self) -> None:
        parsed = httpx.URL(self.url)
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise ConfigError(f"url: {self.url!r} (accepted: http://host:port/v1 or https://...)")
        if parsed.userinfo or parsed.query:
            secret = "password" if parsed.userinfo else "query, which may be a key"
            raise ConfigError(
                f"url: holds a {secret} (host {parsed.host}); use api_key_env or api_key_file"
            )
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @property
    def root(self) -> str:
        """The server's own routes, beside the OpenAI ones."""
        return self.url.removesuffix("/v1")


def read_key(variable: str | None = None, file: str | Path | None = None) -> str | None:
    """The key in an environment variable or in a file; None if neither is named.

    Raises:
        ConfigError: the variable is not set, the file is not readable or holds no key of one
            line; never shows what it holds.
    """
    if variable is not None and file is not None:
        raise ConfigError("api_key_file: give api_key_env or api_key_file, not both")
    if variable is not None:
        if not os.environ.get(variable):
            raise ConfigError(f"api_key_env: the environment variable {variable} is not set")
        return os.environ[variable]
    if file is None:
        return None
    try:
        key = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is no text"
        raise ConfigError(f"api_key_file: {file} cannot be read ({reason})") from None
    if not key or len(key.split()) > 1:
        raise ConfigError(f"api_key_file: {file} holds no key of one word")
    return key
