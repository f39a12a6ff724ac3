"""Invented catalogues: the shop's format, some confusion, and a name that says what they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.draws import OriginalDraws
from repairstudy.environments.webshop.invention import SEARCHES, Dice, nouns_of
from repairstudy.environments.webshop.nouns import read_nouns
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.selection import Goals
from repairstudy.environments.webshop.sources import Listing, Source, read_listings
from repairstudy.environments.webshop.synthetic import inventions, write_synthetic

SCRIPT = Path(__file__).parents[3] / "workflow/scripts/webshop_data.py"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return write_synthetic(tmp_path_factory.mktemp("files"), products=400, seed=0)


@pytest.fixture(scope="module")
def listings(source: Source) -> list[Listing]:
    return list(read_listings(source, read_nouns(source.nouns), OriginalDraws(0)))


def test_the_same_seed_writes_the_same_files(tmp_path: Path, source: Source) -> None:
    again = write_synthetic(tmp_path / "again", products=400, seed=0)
    other = write_synthetic(tmp_path / "other", products=400, seed=1)
    for name in ("items", "attributes", "nouns", "human"):
        content = getattr(source, name).read_bytes()
        assert getattr(again, name).read_bytes() == content
        assert getattr(other, name).read_bytes() != content


@pytest.mark.parametrize("products", [1, 5])
def test_a_catalogue_may_be_tiny(tmp_path: Path, products: int) -> None:
    source = write_synthetic(tmp_path, products, seed=3)
    nouns = read_nouns(source.nouns)
    assert len(list(read_listings(source, nouns, OriginalDraws(0)))) == products


def test_every_asin_says_that_the_product_is_invented(listings: list[Listing]) -> None:
    assert [x.product.asin for x in listings] == [f"SYN{place:07d}" for place in range(400)]


def test_files_have_the_fields_of_the_published_ones(source: Source) -> None:
    item = json.loads(source.items.read_text())[0]
    assert set(item) == {
        "asin",
        "name",
        "full_description",
        "pricing",
        "small_description",
        "images",
        "product_category",
        "category",
        "query",
        "page",
        "average_rating",
        "customization_options",
    }


def test_several_products_share_a_search(listings: list[Listing]) -> None:
    shared = Counter(listing.product.query for listing in listings)
    assert len(shared) == 50
    assert min(shared.values()) >= 2


def test_shares_are_near_those_of_the_real_catalogue(listings: list[Listing]) -> None:
    products = [listing.product for listing in listings]
    assert 0.35 < sum(bool(product.options) for product in products) / 400 < 0.55
    assert 0.05 < sum(" to " in product.price_tag for product in products) / 400 < 0.15
    assert 0.03 < sum(product.price_tag == "$100.0" for product in products) / 400 < 0.13
    assert 0.33 < sum(bool(listing.wishes) for listing in listings) / 400 < 0.47
    words = sum(len(product.search_text().split()) for product in products) / 400
    assert 70 < words < 130


def test_texts_tell_most_attributes_but_not_all(listings: list[Listing]) -> None:
    told = [
        attribute in " ".join([p.name, p.description, *p.bullets]).lower()
        for p in (listing.product for listing in listings)
        for attribute in p.attributes
    ]
    assert 0.5 < sum(told) / len(told) < 0.9


def test_nouns_are_words_of_the_name_that_name_things() -> None:
    name = "Cortora Quick Drying Trail Rain Jacket With Hood, Bold 2 Pack For Runners"
    assert nouns_of(name) == ["cortora", "trail", "rain", "jacket", "hood", "pack", "runners"]


def test_there_are_goals_of_both_kinds_and_some_cannot_be_met(source: Source) -> None:
    goals = {}
    for human_goals in (False, True):
        folder = source.items.parent / f"prepared-{human_goals}"
        prepare(replace(source, human_goals=human_goals), folder, "test")
        goals[human_goals] = Goals.open(folder, Catalogue.open(folder))
    assert 0 < len(goals[False].selected()) < len(goals[False])
    assert len(goals[True].selected()) == len(goals[True]) > 20


def test_the_script_prepares_a_catalogue_with_its_index(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "synthetic", "--products", "20"]
    command += ["--out", str(tmp_path / "shop")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "20 products" in done.stdout
    assert Catalogue.open(tmp_path / "shop").fingerprint.startswith("synthetic-")
    assert (tmp_path / "shop/index").is_dir()


def test_the_script_says_in_one_line_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "full", "--files", str(tmp_path)]
    command += ["--out", str(tmp_path / "shop")]
    bare = {name: value for name, value in os.environ.items() if name != "REPAIRSTUDY_DATA"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=bare)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "lacks items_shuffle.json, items_ins_v2.json. Fetch" in done.stderr


def test_searches_are_distinct() -> None:
    assert len({search.query for search in SEARCHES}) == len(SEARCHES) == 600


def test_dice_choose_distinct_items() -> None:
    dice = Dice("test")
    assert sorted(dice.some("abc", 5)) == ["a", "b", "c"]
    assert {dice.whole(2, 4) for _ in range(100)} == {2, 3, 4}


def test_inventions_come_one_at_a_time() -> None:
    assert next(inventions(100_000, seed=0)).item["asin"] == "SYN0000000"
