"""Turn the shop's files into a folder that workers open in no time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from repairstudy.environments.files import sha256_of
from repairstudy.environments.webshop.draws import make_draws
from repairstudy.environments.webshop.goals import make_goals
from repairstudy.environments.webshop.nouns import read_nouns
from repairstudy.environments.webshop.reachability import judged
from repairstudy.environments.webshop.rules import Rule
from repairstudy.environments.webshop.sources import SYNTHETIC_ASIN, Listing, Source, read_listings
from repairstudy.environments.webshop.store import (
    FORMAT,
    GOAL_SCHEMA,
    GOALS,
    MARKER,
    PRODUCT_SCHEMA,
    PRODUCTS,
    goal_row,
    product_row,
    write_rows,
)
from repairstudy.errors import DataError
from repairstudy.records import canonical_json

SYNTHETIC = "synthetic"


def prepare(
    source: Source,
    folder: Path,
    name: str,
    price_seed: int = 0,
    draws: Rule = "original",
    expected: str | None = None,
    then: Callable[[Path], None] | None = None,
) -> dict[str, Any]:
    """Fill a folder with products, goals and what is known about them.

    Args:
        name: what the catalogue is called; "synthetic" is put before it if products are invented.
        price_seed: of prices within a range and of price limits, which the original leaves
            unseeded. Seed 0 gives the same goals as the original after ``random.seed(0)``.
        draws: "corrected" makes every draw depend on its product alone.
        expected: the `source_sum` that the files must have.
        then: called with the folder before it counts as prepared, to add to it (an index).

    Returns:
        What was written to ``prepared.json``: counts, seeds, sums of the sources' bytes; the
        `source_sum` of products and instructions as loaded, whatever else the files hold; and
        the `fingerprint` of everything that episodes depend on, prices and nouns too.

    Raises:
        DataError: a source is missing or broken, or not the expected one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).unlink(missing_ok=True)
    drawn = make_draws(draws, price_seed)
    content, listed = hashlib.sha256(), hashlib.sha256()
    wanted: list[Listing] = []
    counts = {"products": 0, "invented": 0}

    def product_rows() -> Iterator[dict[str, Any]]:
        for listing in read_listings(source, read_nouns(source.nouns), drawn):
            if listing.wishes:
                wanted.append(listing)
            counts["products"] += 1
            counts["invented"] += listing.product.asin.startswith(SYNTHETIC_ASIN)
            row = product_row(listing.product)
            _add(listed, [row | {"price": None, "nouns": None}, *map(asdict, listing.wishes)])
            yield row

    write_rows(folder / PRODUCTS, PRODUCT_SCHEMA, _hashed(content, product_rows()))
    found = listed.hexdigest()
    if expected not in (None, found):
        problem = "holds other products than were published, or the instructions are others."
        remedy = f"The sum of both is {found}, not {expected}: fetch the files again."
        raise DataError(source.items, problem, remedy)
    products = {listing.product.asin: listing.product for listing in wanted}
    goals = [judged(goal, products[goal.asin]) for goal in make_goals(wanted, drawn)]
    write_rows(folder / GOALS, GOAL_SCHEMA, _hashed(content, map(goal_row, goals)))
    if then is not None:
        then(folder)
    synthetic = counts["invented"] > 0
    if synthetic and not name.startswith(SYNTHETIC):
        name = f"{SYNTHETIC}-{name}"
    marker = {
        "format": FORMAT,
        "name": name,
        "synthetic": synthetic,
        "fingerprint": f"{name}-{content.hexdigest()[:32]}",
        "source_sum": found,
        "products": counts["products"],
        "goals": len(goals),
        "unreachable_goals": sum(not goal.reachable for goal in goals),
        "human_goals": source.human_goals,
        "num_products": source.num_products,
        "price_seed": price_seed,
        "draws": draws,
        "sources": _sums(source),
    }
    part = folder / f".{MARKER}.part"
    part.write_text(json.dumps(marker, indent=2) + "\n", encoding="utf-8")
    part.replace(folder / MARKER)
    return marker


def _hashed(content: hashlib._Hash, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same rows; what they hold is added to the hash."""
    for row in rows:
        _add(content, row)
        yield row


def _add(content: hashlib._Hash, value: Any) -> None:
    content.update(canonical_json(value).encode("utf-8") + b"\n")


def _sums(source: Source) -> dict[str, str]:
    """SHA-256 of each source file, by its name."""
    paths = [source.items, source.attributes, source.nouns]
    paths += [source.human] if source.human_goals and source.human else []
    return {path.name: sha256_of(path) for path in paths}
