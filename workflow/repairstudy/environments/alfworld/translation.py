"""Turning a game's rules and problem (PDDL) into a planning task, once for each text."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import fast_downward
from fast_downward.translate.pddl.conditions import Atom, Truth

from repairstudy.environments.alfworld.sas import Effect, conditional_effects
from repairstudy.environments.alfworld.versions import PROVEN

_FORM = 1  # of the files
_IN_MEMORY = 8  # translations that a process keeps; a large one takes 2 MB


@dataclass(frozen=True, slots=True)
class Translation:
    """What the engine needs to know of a planning task.

    Attributes:
        sas: the task in Fast Downward's text format.
        objects: the type of each object.
        types: each type with the types above it.
        parameters: each action's parameters, a name without "?" and a type.
        facts: what holds at the start: a predicate and its arguments.
        fluents: the predicates that actions change.
        conditional: effects of the operators whose effects depend on the state.
        unsure: the predicates that such effects change.
    """

    sas: str
    objects: dict[str, str]
    types: list[tuple[str, list[str]]]
    parameters: dict[str, list[tuple[str, str]]]
    facts: list[tuple[str, list[str]]]
    fluents: frozenset[str]
    conditional: dict[int, tuple[Effect, ...]]
    unsure: frozenset[str]


class Translations:
    """Translations by the text they were made of, in memory and, with a folder, on the disk.

    The files are compressed JSON: nothing in them is ever run.
    """

    def __init__(self, folder: Path | None, in_memory: int = _IN_MEMORY) -> None:
        self._folder = folder
        self._size = in_memory
        self._known: OrderedDict[str, Translation] = OrderedDict()

    def get(self, domain: str, problem: str, *, simplified: bool = False) -> Translation:
        """The planning task of a problem.

        Args:
            domain: the rules, in PDDL.
            problem: the objects, the start and the goal, in PDDL.
            simplified: leave out what cannot matter for reaching the goal.
        """
        text = json.dumps([_FORM, sorted(PROVEN.items()), domain, problem, simplified])
        key = hashlib.sha256(text.encode()).hexdigest()
        translation = self._known.pop(key, None) or self._read(key)
        if translation is None:
            translation = translate(domain, problem, simplified=simplified)
            self._write(key, translation)
        self._known[key] = translation
        if len(self._known) > self._size:
            self._known.popitem(last=False)
        return translation

    def _path(self, key: str) -> Path | None:
        return self._folder / key[:2] / f"{key}.json.z" if self._folder else None

    def _read(self, key: str) -> Translation | None:
        path = self._path(key)
        if path is None:
            return None
        try:
            return _from_json(json.loads(zlib.decompress(path.read_bytes())))
        except FileNotFoundError:
            return None
        except (zlib.error, ValueError, KeyError, TypeError):
            return None  # a damaged file costs a translation, which writes it anew

    def _write(self, key: str, translation: Translation) -> None:
        path = self._path(key)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        content = zlib.compress(json.dumps(_as_json(translation)).encode(), level=6)
        part = path.with_name(f"{key}.{os.getpid()}.part")
        part.write_bytes(content)
        part.replace(path)  # whole at once: other workers may read or write it now


@lru_cache(4)
def translations_in(folder: Path | None) -> Translations:
    """The translations of a folder, one object for all engines of a process."""
    return Translations(folder)


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """Keep the program's arguments and output: the translator takes both over."""
    arguments, output = sys.argv, sys.stdout
    try:
        yield
    finally:
        sys.argv, sys.stdout = arguments, output


def translate(domain: str, problem: str, *, simplified: bool) -> Translation:
    """Translate anew, which takes seconds; see `Translations.get`."""
    with _guarded():
        task, sas = fast_downward.pddl2sas(domain, problem, optimize=simplified)
    effects = [effect for action in task.actions for effect in action.effects]
    conditional = conditional_effects(sas)
    unsure = {e.literal.predicate for e in effects if not isinstance(e.condition, Truth)}
    return Translation(
        sas=sas,
        objects={o.name: o.type_name for o in task.objects},
        types=[(t.name, list(t.supertype_names)) for t in task.types],
        parameters={
            a.name: [(p.name.strip("?"), p.type_name) for p in a.parameters] for a in task.actions
        },
        facts=[
            (fact.predicate, list(fact.args))
            for fact in task.init
            if isinstance(fact, Atom) and fact.predicate != "="
        ],
        fluents=frozenset(e.literal.predicate for e in effects),
        conditional=conditional,
        unsure=frozenset(unsure if conditional else ()),
    )


def _as_json(translation: Translation) -> dict[str, Any]:
    return {
        "sas": translation.sas,
        "objects": translation.objects,
        "types": translation.types,
        "parameters": translation.parameters,
        "facts": translation.facts,
        "fluents": sorted(translation.fluents),
        "conditional": {str(key): value for key, value in translation.conditional.items()},
        "unsure": sorted(translation.unsure),
    }


def _from_json(content: dict[str, Any]) -> Translation:
    return Translation(
        sas=content["sas"],
        objects=content["objects"],
        types=[(name, above) for name, above in content["types"]],
        parameters={
            action: [(name, kind) for name, kind in parameters]
            for action, parameters in content["parameters"].items()
        },
        facts=[(predicate, arguments) for predicate, arguments in content["facts"]],
        fluents=frozenset(content["fluents"]),
        conditional={
            int(number): tuple((tuple(needed), fact) for needed, fact in effects)
            for number, effects in content["conditional"].items()
        },
        unsure=frozenset(content["unsure"]),
    )
