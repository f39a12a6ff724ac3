"""The shop's published files, read unchanged: products, their attributes, and what people want."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from repairstudy.environments.files import read_object
from repairstudy.environments.webshop.draws import Draws
from repairstudy.environments.webshop.jsonfiles import AGAIN, elements
from repairstudy.environments.webshop.product import Product
from repairstudy.errors import DataError

LONGEST_ASIN = 10
SYNTHETIC_ASIN = "SYN"  # how the asin of every invented product begins
UNPRICED = 100.0  # what the shop asks for a product without a price
NO_ATTRIBUTES = ("DUMMY_ATTR",)  # what the shop gives a product that the attributes lack
FIELDS = (
    "asin",
    "name",
    "full_description",
    "small_description",
    "customization_options",
    "category",
    "query",
    "product_category",
)


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a catalogue and how much of them is used.

    Attributes:
        items: products, a JSON array (items_shuffle.json).
        attributes: asin -> attributes and instruction, a JSON object (items_ins_v2.json).
        human: asin -> instructions that people wrote (items_human_ins.json), if any.
        nouns: asin -> nouns of the name (name_nouns.json).
        num_products: the first so many of `items`; None is all.
        human_goals: whether goals come from `human` or from the instructions in `attributes`.
    """

    items: Path
    attributes: Path
    nouns: Path
    human: Path | None = None
    num_products: int | None = None
    human_goals: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants, as written down for one product.

    Attributes:
        options: option values that a person named; None: each combination is a goal of its own.
    """

    instruction: str
    attributes: tuple[str, ...]
    options: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Listing:
    """A product and what is wanted of it."""

    product: Product
    wishes: tuple[Wish, ...]


def read_listings(
    source: Source, nouns: Mapping[str, tuple[str, ...]], draws: Draws
) -> Iterator[Listing]:
    """Products in the order of the file, each once, with prices drawn.

    As in the original, the first `num_products` are taken before products without a usable
    asin are left out.

    Raises:
        DataError: a file is missing or broken, or a product lacks a field.
    """
    attributes = read_object(source.attributes, AGAIN)
    human = _human(source)
    seen: set[str] = set()
    for raw in islice(elements(source.items), source.num_products):
        try:
            asin = raw["asin"]
            if asin == "nan" or len(asin) > LONGEST_ASIN or asin in seen:
                continue
            seen.add(asin)
            product = _product(raw, attributes.get(asin, {}), nouns[asin], draws)
            yield Listing(product, _wishes(source, asin, attributes, human))
        except DataError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _broken(source, raw, nouns, error) from error
    if not seen:
        raise DataError(source.items, "holds no product.", AGAIN)


def _human(source: Source) -> Mapping[str, Any]:
    if not source.human_goals:
        return {}
    if source.human is None:
        problem = "human goals need the file items_human_ins.json."
        raise DataError(source.items, problem, "Put it in the same folder.")
    return read_object(source.human, AGAIN)


def _product(
    raw: Mapping[str, Any],
    known: Mapping[str, Any],
    nouns: tuple[str, ...],
    draws: Draws,
) -> Product:
    bullets = raw["small_description"]
    price, tag = _price(raw["asin"], raw.get("pricing"), draws)
    attributes = known.get("attributes")
    return Product(
        asin=raw["asin"],
        name=_text(raw, "name"),
        description=_text(raw, "full_description"),
        bullets=tuple(bullets) if isinstance(bullets, list) else (_text(raw, "small_description"),),
        price=price,
        price_tag=tag,
        category=_text(raw, "category"),
        query=_text(raw, "query").lower().strip(),
        product_category=_text(raw, "product_category"),
        options=_options(raw["customization_options"]),
        attributes=NO_ATTRIBUTES if attributes is None else tuple(attributes),
        nouns=nouns,
    )


def _text(raw: Mapping[str, Any], field: str) -> str:
    value = raw[field]
    if not isinstance(value, str):
        raise ValueError(f"field {field!r} is {value!r:.40}, not text")
    return value


def _price(asin: str, pricing: str | None, draws: Draws) -> tuple[float, str]:
    """The price and its tag: "" has none, "$9.5" one, "$9.5$12.0" a range (a third is ignored)."""
    if not pricing:
        return UNPRICED, f"${UNPRICED}"
    amounts = [float(re.sub(r"[^\d.]", "", part)) for part in pricing.split("$")[1:]]
    if not amounts:
        raise ValueError(f"field 'pricing' is {pricing!r}, without a '$'")
    if len(amounts) == 1:
        return amounts[0], f"${amounts[0]}"
    return draws.price(asin, *amounts[:2]), f"${amounts[0]} to ${amounts[1]}"


def _options(raw: Mapping[str, Any] | str | None) -> dict[str, tuple[str, ...]]:
    if not raw:
        return {}
    if isinstance(raw, str):
        raise ValueError("field 'customization_options' is text, not groups of options")
    return {
        group.lower(): tuple(option_value(content["value"]) for content in contents)
        for group, contents in raw.items()
        if contents is not None
    }


def option_value(text: str) -> str:
    """An option's value as the shop shows it."""
    return text.strip().replace("/", " | ").lower()


def _wishes(
    source: Source, asin: str, attributes: Mapping[str, Any], human: Mapping[str, Any]
) -> tuple[Wish, ...]:
    path = source.human if source.human_goals and source.human else source.attributes
    try:
        return _by_people(human.get(asin, [])) if source.human_goals else _made(attributes[asin])
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"product {asin}: is missing or lacks a field ({error})."
        raise DataError(path, problem, AGAIN) from error


def _by_people(wishes: list[Mapping[str, Any]]) -> tuple[Wish, ...]:
    """Instructions that people wrote; those without attributes are no goals."""
    return tuple(
        Wish(
            wish["instruction"].strip("."),
            tuple(wish["instruction_attributes"]),
            tuple(wish["instruction_options"]),
        )
        for wish in wishes
        if wish["instruction_attributes"]
    )


def _made(known: Mapping[str, Any]) -> tuple[Wish, ...]:
    """The instruction that was made for a product, if any."""
    if known.get("instruction") is None:
        return ()
    return (Wish(known["instruction"], tuple(known["instruction_attributes"]), None),)


def _broken(
    source: Source, raw: Any, nouns: Mapping[str, tuple[str, ...]], error: Exception
) -> DataError:
    """Say which file lacks what about a product."""
    if not isinstance(raw, dict):
        return DataError(source.items, f"holds {raw!r:.60} in the place of a product.", AGAIN)
    asin = raw.get("asin")
    missing = [name for name in FIELDS if name not in raw]
    if missing:
        return DataError(source.items, f"product {asin}: lacks {', '.join(missing)}.", AGAIN)
    if asin not in nouns:
        problem = f"product {asin}: has no nouns there."
        return DataError(source.nouns, problem, "Compute the nouns of this catalogue's names.")
    return DataError(source.items, f"product {asin}: {type(error).__name__}: {error}.", AGAIN)
