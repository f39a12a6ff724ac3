"""A game's texts: parsed once for all games that share them, and checked before they are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from copy import copy
from functools import lru_cache
from typing import Any

import textworld.logic
from textworld.envs.pddl import logic, textgen
from textworld.logic import Rule

_TASK = re.compile(r"Your task is to: ([^\"]*?)\s*\"")
_PLAIN = re.compile(r"[A-Za-z0-9 ,.'-]*")
_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.Or, ast.BinOp, ast.Add, ast.Attribute, ast.Name, ast.Load,
    ast.Constant,
)  # fmt: skip
_FIELDS = {"name", "id", "definite", "indefinite"}


class UnsafeText(ValueError):
    """A game's texts hold an expression that is more than names put together."""


def task_of(grammar: str) -> str:
    """The task sentence of a game, without "Your task is to:"; "" if there is none."""
    found = _TASK.search(grammar)
    return found.group(1) if found else ""


def game_logic(domain: str, grammar: str, types: Iterable[tuple[str, list[str]]]) -> Any:
    """The game's texts as the original holds them: commands, feedback and types.

    Games of one release differ in the task sentence alone, so the rest is parsed once.

    Raises:
        UnsafeText: the texts would run code.
    """
    found = _TASK.search(grammar)
    sentence = found.group(1) if found else ""
    if found and _PLAIN.fullmatch(sentence) and grammar.count("Your task is to: ") == 1:
        shared = _parse(domain, grammar[: found.start(1)] + "?" + grammar[found.end(1) :])
        own = copy(shared)
        own.grammar = _with_task(shared.grammar, sentence)
    else:
        own = copy(_parse(domain, grammar))
    own.types = textworld.logic.TypeHierarchy()
    first = dict(reversed(list(types)))  # of two entries for a type the original takes the first
    for name, above in first.items():
        own.types.add(textworld.logic.Type(name, above))
    return own


def read_predicates(game: Any) -> frozenset[str]:
    """The predicates that decide what the texts of a game say."""
    found = set()
    for symbol in _symbols(game):
        if isinstance(symbol, textgen.ConditionalSymbol) and symbol.given:
            found |= _names(symbol.given)
    for rules in game.grammar._rules.values():
        for rule in rules:
            if rule.condition:
                found |= _names(rule.condition)
    return frozenset(found)


def command_predicates(game: Any) -> frozenset[str]:
    """The predicates that decide how commands are written.

    Raises:
        UnsafeText: a command uses a rule of the grammar, which is not looked into.
    """
    found = set()
    for action in game.actions.values():
        for symbol in _opened(textgen._parse_and_convert(action.template, rule_name="symbols")):
            if isinstance(symbol, textgen.NonterminalSymbol):
                raise UnsafeText(f"the command of {action.name} uses a rule of the grammar")
            if isinstance(symbol, textgen.ConditionalSymbol) and symbol.given:
                found |= _names(symbol.given)
    return frozenset(found)


@lru_cache(8)
def _parse(domain: str, grammar: str) -> Any:
    game = logic.GameLogic(domain, grammar)
    for symbol in _symbols(game):
        if isinstance(symbol, textgen.EvalSymbol):
            _check(symbol.expression)
    return game


def _with_task(grammar: Any, sentence: str) -> Any:
    """The grammar with the sentence in the place of the mark."""
    own = copy(grammar)
    own._rules = copy(grammar._rules)
    for name, rules in grammar._rules.items():
        if any("Your task is to: ?" in str(symbol) for rule in rules for symbol in rule.rhs):
            own._rules[name] = [_filled(rule, sentence) for rule in rules]
    return own


def _filled(rule: Any, sentence: str) -> Any:
    text = "".join(str(symbol) for symbol in rule.rhs)
    filled = copy(rule)
    filled.rhs = textgen._parse_and_convert(text.replace("?", sentence), rule_name="symbols")
    return filled


def _symbols(game: Any) -> list[Any]:
    """Every symbol of the texts, also those inside others."""
    found = [s for rules in game.grammar._rules.values() for rule in rules for s in rule.rhs]
    for action in game.actions.values():
        for text in (action.template, action.feedback_rule):
            found += textgen._parse_and_convert(text, rule_name="symbols")
    return _opened(found)


def _opened(found: list[Any]) -> list[Any]:
    """The symbols, and those inside them."""
    for symbol in found:  # grows while it is gone through
        inner = getattr(symbol, "expression", None) or getattr(symbol, "symbol", None)
        if isinstance(inner, textgen.Symbol):
            found.append(inner)
    return found


def _names(query: str) -> set[str]:
    return {predicate.name for predicate in Rule.parse_conjunctive_query(query).preconditions}


def _check(expression: str) -> None:
    """The original evaluates these as Python."""
    try:
        nodes = list(ast.walk(ast.parse(expression.strip(), mode="eval")))
    except SyntaxError as error:
        raise UnsafeText(f"not an expression: {expression!r}") from error
    for node in nodes:
        strange = isinstance(node, ast.Attribute) and node.attr not in _FIELDS
        if strange or not isinstance(node, _ALLOWED):
            raise UnsafeText(f"more than names put together: {expression!r}")
