"""Shops that tests walk through: one by hand, an invented one, and the real small one."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.index import add_index, build_index
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.shop import Shop
from repairstudy.environments.webshop.sources import Source
from repairstudy.environments.webshop.synthetic import write_synthetic

DATA = Path(os.environ.get("REPAIRSTUDY_DATA", "../shared/data")) / "webshop"
NO_DATA = f"the published small set is not in {DATA} (set REPAIRSTUDY_DATA to its parent folder)"
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def make_product(asin: str, name: str, **fields: object) -> Product:
    plain = {
        "description": "",
        "bullets": (),
        "price": 10.0,
        "price_tag": "$10.0",
        "category": "garden",
        "query": "lamp",
        "product_category": "Home › Lamps",
        "options": {},
        "attributes": (),
        "nouns": ("lamp",),
    }
    return Product(**{"asin": asin, "name": name, **plain, **fields})  # type: ignore[arg-type]


LAMP = make_product(
    "B000000001",
    "Red Desk Lamp",
    description=" Stands on a desk. ",
    bullets=("Bright", "", "Cool to touch"),
    options={"color": ("red", "blue [matt]"), "size": ("small", "red")},
)
CHAIR = make_product("B000000002", "Desk Chair", price_tag="$20.0 to $30.0")
NAMELESS = make_product("B000000003", "")


def small_shop(mode: str = "text") -> Shop:
    """A lamp with options, a chair, and a product without a name."""
    products = [LAMP, CHAIR, NAMELESS]
    index = build_index([p.asin for p in products], [p.search_text() for p in products])
    return Shop(Catalogue(products, "three"), index, Rules(), mode)  # type: ignore[arg-type]


@lru_cache
def invented_folder(products: int = 200, seed: int = 0) -> str:
    """A prepared synthetic catalogue, made once in a test run."""
    folder = _new_folder()
    prepare(write_synthetic(folder, products, seed), folder / "shop", "test", then=add_index)
    return str(folder / "shop")


@lru_cache
def real_folder() -> str:
    """The published small set, prepared once in a test run."""
    source = Source(
        DATA / "items_shuffle_1000.json", DATA / "items_ins_v2_1000.json", DATA / "name_nouns.json"
    )
    folder = _new_folder()
    prepare(source, folder, "small", then=add_index)
    return str(folder)


def _new_folder() -> Path:
    kept = tempfile.TemporaryDirectory(prefix="webshop-")
    _KEPT.append(kept)  # it lives as long as the test run
    return Path(kept.name)
