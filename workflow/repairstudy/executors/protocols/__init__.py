"""Prompt and history protocols: what an executor sees, and how its text becomes an action."""

from __future__ import annotations

import re

from repairstudy.checked import meant
from repairstudy.errors import ConfigError
from repairstudy.executors.protocols.answers import first_action
from repairstudy.executors.protocols.base import AgentView, Protocol
from repairstudy.executors.protocols.states import Ego, Recent, Transcript
from repairstudy.executors.protocols.turns import React, Window, last_turns
from repairstudy.executors.webshop_policy import WebshopDescriptors

__all__ = ["AgentView", "Protocol", "first_action", "last_turns", "make_protocol"]

_PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (Ego(), Transcript(), Recent(), React(), WebshopDescriptors())
}
_WINDOW = re.compile(r"window-([1-9]\d?)/1")


def make_protocol(name: str) -> Protocol:
    """The protocol of that name, its version included (such as "ego/1", "window-3/1").

    Raises:
        ConfigError: there is none; the message lists those there are.
    """
    window = _WINDOW.fullmatch(name)
    if window:
        return Window(int(window.group(1)))
    if name not in _PROTOCOLS:
        offered = ", ".join([*sorted(_PROTOCOLS), "window-K/1 with K turns"])
        close = meant(name, _PROTOCOLS)
        raise ConfigError(f"protocol: no protocol '{name}'{close} (accepted: {offered})")
    return _PROTOCOLS[name]
