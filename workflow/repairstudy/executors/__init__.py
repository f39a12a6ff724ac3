"""Executors: who acts, under which protocol, with which decoding."""

from repairstudy.executors.identity import Decoding, Executor, InvalidActions, ModelIdentity
from repairstudy.executors.protocols import AgentView, Protocol, last_turns, make_protocol

__all__ = [
    "AgentView",
    "Decoding",
    "Executor",
    "InvalidActions",
    "ModelIdentity",
    "Protocol",
    "last_turns",
    "make_protocol",
]
