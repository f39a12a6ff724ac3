"""One loaded game: its rules, its texts, and the planner's library that holds its states."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import fast_downward
from textworld.generator.game import EntityInfo
from textworld.logic import Placeholder, Variable

from repairstudy.environments.alfworld import grammar
from repairstudy.environments.alfworld.facts import Fact, TextFacts, Truth
from repairstudy.environments.alfworld.names import readable
from repairstudy.environments.alfworld.translation import Translation

HELP = "help"
_TEXTS = 5_000  # observations of a game that are kept
_MENUS = 1_000  # sets of admissible commands of a game that are kept


@dataclass(frozen=True, slots=True)
class Operator:
    """A grounded action: the planner's number, its name, and the command that does it."""

    number: int
    name: str
    effects: int
    command: str


@dataclass(frozen=True, slots=True)
class Menu:
    """What may be done: the planner's numbers in its order, and the operator of each command."""

    numbers: tuple[int, ...]
    operators: Mapping[str, Operator]
    admissible: tuple[str, ...]


_NOTHING = Menu((), {}, ())


@dataclass(frozen=True, slots=True)
class State:
    """A state, by the planner's number for it and by its difference from the start.

    Attributes:
        number: the planner's; means something only while the game is loaded.
        changed: the facts whose truth differs from the start.
        noted: the same as the text layer sees it.
        observation: what the action that first led here showed.
        menu: what may be done.
    """

    number: int
    changed: frozenset[Fact]
    noted: frozenset[Any]
    signature: str
    observation: str = ""
    won: bool = False
    menu: Menu = _NOTHING


class Game:
    """A game in the library; the library holds one game at a time.

    Raises:
        ValueError: the texts depend on the state in a way that is not followed here.
    """

    def __init__(
        self, library: Any, translation: Translation, domain: str, texts: str, problem: str
    ) -> None:
        self.library = library
        self.translation = translation
        self.domain = domain
        self.problem = problem
        self.task = grammar.task_of(texts)
        self._logic = grammar.game_logic(domain, texts, translation.types)
        read = grammar.read_predicates(self._logic)
        _check(self._logic, translation, read)
        self._facts = TextFacts(self._logic, translation, read)
        game = hashlib.sha256("\0".join((domain, texts, problem)).encode()).hexdigest()
        self.truth = Truth(game, translation)
        self.names = readable(word for _, words in translation.facts for word in words)
        self._entities = {name: self._entity(name) for name in self.names}
        self._operators: dict[int, Operator] = {}
        self._commands: dict[str, str] = {}
        self._menus: OrderedDict[tuple[int, ...], Menu] = OrderedDict()
        self._told: OrderedDict[tuple[int, frozenset[Any]], str] = OrderedDict()
        library.load_sas(translation.sas.encode())

    def _entity(self, name: str) -> EntityInfo:
        info = EntityInfo(name, self.translation.objects[name])
        info.name, info.definite, info.indefinite = self.names[name], "the", "a"
        return info

    def start(self) -> State:
        """The state after loading, with the game's opening words."""
        none: frozenset[Any] = frozenset()
        state = State(self.library.get_state_id(), none, none, self.truth.signature(none, none))
        return self.complete(state, self._derive(state, "#intro#", {}))

    def holds(self, state: State) -> bool:
        """Make it the library's state; whether the same may be done there as when it was seen."""
        self.library.set_state_id(state.number)
        return tuple(found.id for found in self._applicable()) == state.menu.numbers

    def follow(self, state: State, operator: Operator) -> State:
        """The state after an operator, without what `complete` adds."""
        effects = (fast_downward.Atom * operator.effects)()
        self.library.set_state_id(state.number)
        self.library.apply_operator(operator.number, effects)
        texts = [effect.name for effect in effects]
        changed = self.truth.after(state.changed, operator.number, texts)
        noted = self._facts.after(state.noted, texts)
        number = self.library.get_state_id()
        return State(number, changed, noted, self.truth.signature(changed, noted))

    def complete(self, state: State, observation: str) -> State:
        """The state with what may be done in it; it must be the library's present state."""
        applicable = self._applicable()
        numbers = tuple(found.id for found in applicable)
        if numbers not in self._menus:
            self._menus[numbers] = self._menu(numbers, applicable)
            if len(self._menus) > _MENUS:
                self._menus.popitem(last=False)
        won = self.library.check_goal()
        return replace(state, observation=observation, won=won, menu=self._menus[numbers])

    def _menu(self, numbers: tuple[int, ...], applicable: Any) -> Menu:
        operators: dict[str, Operator] = {}
        for found in applicable:
            operator = self._operator(found)
            operators.setdefault(operator.command, operator)  # the first of its name, as always
        operators.pop(HELP, None)
        return Menu(numbers, operators, tuple(sorted(operators)))

    def tell(self, state: State, operator: Operator) -> str:
        """What an operator shows that led to a state."""
        key = (operator.number, state.noted)
        if key not in self._told:
            action, mapping = self._mapping(operator.name)
            rule = self._logic.actions[action].feedback_rule
            self._told[key] = self._derive(state, rule, mapping)
            if len(self._told) > _TEXTS:
                self._told.popitem(last=False)
        return self._told[key]

    def command(self, name: str) -> str:
        """The command for a grounded action: ``openobject agent1 loc_1 safe_1`` -> ``open safe 1``.

        It does not depend on the state.
        """
        if name not in self._commands:
            action, mapping = self._mapping(name)
            template = self._logic.actions[action].template
            self._commands[name] = self._derive(None, template, mapping)
        return self._commands[name]

    def _applicable(self) -> Any:
        number = self.library.get_applicable_operators_count()
        found = (fast_downward.Operator * number)()
        self.library.get_applicable_operators(found)
        return found

    def _operator(self, found: Any) -> Operator:
        number = found.id
        if number not in self._operators:
            name = found.name
            self._operators[number] = Operator(
                number, name, found.nb_effect_atoms, self.command(name)
            )
        return self._operators[number]

    def _mapping(self, name: str) -> tuple[str, dict[Placeholder, Variable]]:
        """The action of a grounded action, and what its parameters stand for.

        Parameters that the translator added to an action come last and are not in its name.
        """
        action, *words = name.split()
        parameters = self.translation.parameters[action]
        return action, {
            Placeholder(parameter, kind): Variable(word, kind)
            for (parameter, kind), word in zip(parameters, words, strict=False)
        }

    def _derive(self, state: State | None, text: str, mapping: Mapping[Any, Any]) -> str:
        if state is not None:
            self._facts.move_to(state.noted)
        variables = {place.name: self._entities[thing.name] for place, thing in mapping.items()}
        context = {
            "state": self._facts,
            "facts": (),
            "variables": variables,
            "mapping": mapping,
            "entity_infos": self._entities,
        }
        told: str = self._logic.grammar.derive(text, context)
        return told


def _check(logic: Any, translation: Translation, read: frozenset[str]) -> None:
    """What the engine follows less closely must not show in the texts."""
    shown = {name.removeprefix("not_") for name in read}
    if shown & translation.unsure:
        raise ValueError(f"they tell of conditional effects: {sorted(shown & translation.unsure)}")
    changing = grammar.command_predicates(logic) & translation.fluents
    if changing:
        raise ValueError(f"commands depend on what changes: {sorted(changing)}")
