"""All products of a shop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.store import PRODUCTS, Rows, open_products, read_marker

__all__ = ["Catalogue", "Product"]


class Catalogue:
    """Products by position (their place in the catalogue's file) and by asin.

    Args:
        products: in memory, or read from disk as they are asked for.
        fingerprint: changes whenever a product, a price or a goal does. It begins with the
            catalogue's name; an invented catalogue's begins with "synthetic".
    """

    def __init__(self, products: Sequence[Product], fingerprint: str) -> None:
        self._products = products
        self.fingerprint = fingerprint

    @classmethod
    def open(cls, folder: Path) -> Catalogue:
        """The catalogue in a folder that `prepare` filled; takes milliseconds.

        Raises:
            DataError: the folder was not prepared, or a file of it is broken.
        """
        fingerprint = read_marker(folder)["fingerprint"]
        return cls(open_products(folder / PRODUCTS), fingerprint)

    def __len__(self) -> int:
        return len(self._products)

    def product(self, position: int) -> Product:
        return self._products[position]

    def position(self, asin: str) -> int:
        """Where a product stands.

        Raises:
            KeyError: the catalogue has no such product.
        """
        return self._positions[asin]

    def __contains__(self, asin: str) -> bool:
        return asin in self._positions

    def search_text(self, position: int) -> str:
        """What a search looks in (see `Product.search_text`)."""
        return self.product(position).search_text()

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        rows = self._products
        asins = rows.column("asin") if isinstance(rows, Rows) else [row.asin for row in rows]
        return {asin: place for place, asin in enumerate(asins)}
