"""What is true in a state of a game, told by its difference from the start."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import textworld.logic
from textworld.logic import Proposition, Signature, Variable

from repairstudy.environments.alfworld.translation import Translation

Fact = tuple[str, tuple[str, ...]]  # a predicate and its arguments


@cache
def parse_atom(text: str) -> tuple[bool, Fact]:
    """``NegatedAtom opened(safe)`` -> (False, ("opened", ("safe",))), as the planner names it."""
    kind, _, rest = text.partition(" ")
    predicate, _, arguments = rest.partition("(")
    words = arguments.rstrip(")").split(", ")
    return kind == "Atom", (predicate, tuple(word for word in words if word))


class TextFacts(textworld.logic.State):
    """The facts as the original text layer keeps them, for the queries of its grammar.

    It differs from the truth in one respect: once something has stopped being true the layer
    notes a ``not_`` fact, and some texts ask for those. Only facts that the grammar asks for
    are followed.

    Attributes:
        noted: the facts in which the present state differs from the start.
    """

    def __init__(self, logic: Any, translation: Translation, read: frozenset[str]) -> None:
        self._logic = logic
        self._facts: dict[Any, set[Proposition]] = defaultdict(set)
        self._vars_by_name: dict[str, Any] = {}
        self._vars_by_type: dict[str, set[Any]] = defaultdict(set)
        self._var_counts: Counter[str] = Counter()
        self._types = translation.objects
        self._read = read
        self.add_facts(self._proposition(name, words) for name, words in translation.facts)
        self._start = frozenset(self.facts)
        self.noted: frozenset[Proposition] = frozenset()
        self._in_order: dict[Any, list[Proposition]] = {}
        self._allowed: dict[Any, Mapping[Any, None]] = {}

    def _proposition(self, name: str, words: Iterable[str]) -> Proposition:
        return Proposition(name, [Variable(word, self._types[word]) for word in words])

    def after(self, noted: frozenset[Proposition], effects: Iterable[str]) -> frozenset[Any]:
        """What is noted once an operator's reported effects are added to `noted`."""
        changed = set(noted)
        for text in effects:
            holds, (name, words) = parse_atom(text)
            for label, value in ((name, holds), (f"not_{name}", not holds)):
                if label in self._read:
                    fact = self._proposition(label, words)
                    (changed.discard if (fact in self._start) == value else changed.add)(fact)
        return frozenset(changed)

    def move_to(self, noted: frozenset[Proposition]) -> None:
        """Hold the facts of another state."""
        for fact in self.noted ^ noted:
            self._facts[fact.signature] ^= {fact}
            self._in_order.pop(fact.signature, None)
        self.noted = noted

    def all_assignments(self, rule: Any, mapping: Any = None) -> Iterator[dict[Any, Any]]:
        """What the variables of a query can stand for, in the original's order.

        Facts are gone through in order; two variables never stand for one thing.
        """
        yield from self._assign(rule.preconditions, dict(mapping or {}))

    def _assign(self, query: Any, known: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
        if not query:
            yield known
            return
        places = query[0].parameters
        for fact in self._candidates(query[0], known):
            assigned = dict(known)
            for place, thing in zip(places, fact.arguments, strict=True):
                if place not in assigned:
                    if thing in assigned.values():
                        break
                    assigned[place] = thing
                elif assigned[place] != thing:
                    break
            else:
                yield from self._assign(query[1:], assigned)

    def _candidates(self, predicate: Any, known: Mapping[Any, Any]) -> Iterable[Proposition]:
        """The facts that may match; just the one if nothing in it is open."""
        signatures = self._signatures(predicate.signature)
        if all(place in known for place in predicate.parameters):
            fact = Proposition(predicate.name, [known[place] for place in predicate.parameters])
            found = fact.signature in signatures and fact in self._facts.get(fact.signature, ())
            return (fact,) if found else ()
        return [fact for signature in signatures for fact in self._sorted(signature)]

    def _signatures(self, signature: Any) -> Mapping[Any, None]:
        """The signatures that a predicate's types allow, in order."""
        if signature not in self._allowed:
            types = [self._logic.types.get(name) for name in signature.types]
            self._allowed[signature] = {
                Signature(signature.name, [kind.name for kind in kinds]): None
                for kinds in self._logic.types.multi_subtypes(types)
            }
        return self._allowed[signature]

    def _sorted(self, signature: Any) -> list[Proposition]:
        if signature not in self._in_order:
            self._in_order[signature] = sorted(self._facts.get(signature, ()), key=_key)
        return self._in_order[signature]


def _key(fact: Proposition) -> tuple[Any, ...]:
    return fact.name, [(argument.name, argument.type) for argument in fact.arguments]


class Truth:
    """The facts that actions can change, as they truly are."""

    def __init__(self, game: str, translation: Translation) -> None:
        self._game = game
        self._conditional = translation.conditional
        self.fixed = frozenset(
            (name, tuple(words))
            for name, words in translation.facts
            if name not in translation.fluents
        )
        self.start = frozenset(
            (name, tuple(words)) for name, words in translation.facts if name in translation.fluents
        )

    def after(
        self, changed: frozenset[Fact], operator: int, effects: Iterable[str]
    ) -> frozenset[Fact]:
        """In what the state after an operator differs from the start."""
        if operator in self._conditional:
            effects = [
                effect
                for needed, effect in self._conditional[operator]
                if all(self._holds(changed, text) for text in needed)
            ]
        result = set(changed)
        atoms = [parse_atom(text) for text in effects]
        for value, fact in sorted(atoms):  # what an action both removes and adds holds after it
            (result.discard if (fact in self.start) == value else result.add)(fact)
        return frozenset(result)

    def _holds(self, changed: frozenset[Fact], text: str) -> bool:
        value, fact = parse_atom(text)
        return ((fact in self.start) != (fact in changed)) == value

    def now(self, changed: frozenset[Fact]) -> frozenset[Fact]:
        """All facts of a state that actions can change."""
        return self.start ^ changed

    def signature(self, changed: frozenset[Fact], noted: Iterable[Proposition]) -> str:
        """A hash of the state: of the truth, and of what the text layer remembers beside it."""
        memory = sorted(str(fact) for fact in noted if fact.is_negation)
        text = json.dumps([self._game, sorted(changed), memory])
        return hashlib.sha256(text.encode()).hexdigest()[:32]
