"""A prepared folder: the same products and goals as in memory, opened without reading them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from webshop_shops import make_product

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.draws import OriginalDraws
from repairstudy.environments.webshop.goals import make_goals
from repairstudy.environments.webshop.nouns import read_nouns
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.reachability import judged
from repairstudy.environments.webshop.selection import Goals
from repairstudy.environments.webshop.sources import Source, read_listings
from repairstudy.environments.webshop.store import (
    BATCH,
    GOALS,
    MARKER,
    PRODUCT_SCHEMA,
    PRODUCTS,
    open_products,
    product_row,
    read_marker,
    write_rows,
)
from repairstudy.environments.webshop.synthetic import write_synthetic
from repairstudy.errors import DataError


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return write_synthetic(tmp_path_factory.mktemp("files"), products=60, seed=1)


@pytest.mark.parametrize("human_goals", [False, True])
def test_what_is_opened_is_what_was_read(tmp_path: Path, source: Source, human_goals: bool) -> None:
    source = replace(source, human_goals=human_goals)
    draws = OriginalDraws(7)
    listings = list(read_listings(source, read_nouns(source.nouns), draws))
    goals = make_goals(listings, draws)
    prepare(source, tmp_path, "test", price_seed=7)
    catalogue = Catalogue.open(tmp_path)
    assert [catalogue.product(place) for place in range(len(catalogue))] == [
        listing.product for listing in listings
    ]
    assert goals
    assert list(Goals.open(tmp_path, catalogue)) == [
        judged(goal, catalogue.product(catalogue.position(goal.asin))) for goal in goals
    ]


def test_products_are_found_by_asin(tmp_path: Path, source: Source) -> None:
    prepare(source, tmp_path, "test")
    catalogue = Catalogue.open(tmp_path)
    assert catalogue.position("SYN0000059") == 59
    assert "SYN0000060" not in catalogue
    assert catalogue.search_text(59) == catalogue.product(59).search_text()
    with pytest.raises(KeyError):
        catalogue.position("SYN0000060")
    with pytest.raises(IndexError):
        catalogue.product(60)


def test_rows_of_every_batch_stand_at_their_positions(tmp_path: Path) -> None:
    def products() -> Iterator[Product]:
        for number in range(BATCH + 3):
            yield make_product(f"B{number:09d}", f"Lamp {number}")

    write_rows(tmp_path / PRODUCTS, PRODUCT_SCHEMA, map(product_row, products()))
    rows = open_products(tmp_path / PRODUCTS)
    assert len(rows) == BATCH + 3
    assert [rows[place].name for place in (0, BATCH - 1, BATCH, BATCH + 2)] == [
        f"Lamp {place}" for place in (0, BATCH - 1, BATCH, BATCH + 2)
    ]
    assert [row.asin for row in rows[BATCH - 1 : BATCH + 1]] == [
        f"B{BATCH - 1:09d}",
        f"B{BATCH:09d}",
    ]


def test_the_fingerprint_tells_what_episodes_depend_on(tmp_path: Path, source: Source) -> None:
    marker = prepare(source, tmp_path / "one", "test")
    assert marker == read_marker(tmp_path / "one")
    fingerprint = marker["fingerprint"]
    assert Catalogue.open(tmp_path / "one").fingerprint == fingerprint
    assert fingerprint.startswith("synthetic-test-")
    assert marker["synthetic"]
    assert prepare(source, tmp_path / "two", "test")["fingerprint"] == fingerprint
    others = [
        prepare(source, tmp_path / "two", "test", price_seed=1),
        prepare(source, tmp_path / "two", "test", draws="corrected"),
        prepare(replace(source, num_products=59), tmp_path / "two", "test"),
        prepare(replace(source, human_goals=True), tmp_path / "two", "test"),
    ]
    assert len({fingerprint, *(other["fingerprint"] for other in others)}) == 5
    assert others[0]["source_sum"] == others[1]["source_sum"] == marker["source_sum"]


def test_what_comes_after_is_done_before_the_folder_counts_as_prepared(
    tmp_path: Path, source: Source
) -> None:
    def fails(folder: Path) -> None:
        assert (folder / PRODUCTS).exists()
        assert (folder / GOALS).exists()
        raise RuntimeError("no index")

    prepare(source, tmp_path, "test")
    with pytest.raises(RuntimeError, match="no index"):
        prepare(source, tmp_path, "test", then=fails)
    with pytest.raises(DataError, match=r"is not a prepared catalogue.*webshop_data\.py"):
        Catalogue.open(tmp_path)


def test_broken_folders_are_named(tmp_path: Path, source: Source) -> None:
    prepare(source, tmp_path, "test")
    whole = (tmp_path / PRODUCTS).read_bytes()
    (tmp_path / PRODUCTS).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"products\.arrow: is not a whole Arrow file"):
        Catalogue.open(tmp_path)
    (tmp_path / PRODUCTS).write_bytes((tmp_path / GOALS).read_bytes())
    with pytest.raises(DataError, match=r"products\.arrow: has the columns of another version"):
        Catalogue.open(tmp_path)
    (tmp_path / PRODUCTS).unlink()
    with pytest.raises(DataError, match=r"products\.arrow: does not exist"):
        Catalogue.open(tmp_path)
    with pytest.raises(DataError, match=r"nowhere: is not a prepared catalogue"):
        Catalogue.open(tmp_path / "nowhere")
    marker = json.loads((tmp_path / MARKER).read_text())
    (tmp_path / MARKER).write_text(json.dumps({**marker, "format": 0}))
    with pytest.raises(DataError, match=r"prepared\.json: is of format 0, not 1"):
        Catalogue.open(tmp_path)
