"""One product as the shop shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """A product after loading: texts as shown, options normalised, one price.

    Attributes:
        price: what is paid, in dollars; for a price range it was drawn once, in preparation.
        price_tag: what is shown: "$10.0", or "$10.0 to $20.0".
        category: one of the few departments ("beauty", "fashion").
        query: the search that the product was found by, lower-case.
        product_category: the path of categories, joined by " › ".
        options: group -> values, both lower-case, in the order of the page.
        attributes: hidden properties that purchases are scored by.
        nouns: lower-case nouns of the name, repeated as often as they occur there.
    """

    asin: str
    name: str
    description: str
    bullets: tuple[str, ...]
    price: float
    price_tag: str
    category: str
    query: str
    product_category: str
    options: Mapping[str, tuple[str, ...]]
    attributes: tuple[str, ...]
    nouns: tuple[str, ...]

    def search_text(self) -> str:
        """The text that a search looks in: name, description, first bullet, and options."""
        first_bullet = self.bullets[0] if self.bullets else ""
        options = ", and ".join(
            f"{group}: {', '.join(values)}" for group, values in self.options.items()
        )
        return " ".join([self.name, self.description, first_bullet, options]).lower()
