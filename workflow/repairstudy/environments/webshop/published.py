"""The published catalogues: which files they are, where they come from, how they are told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from repairstudy.environments.webshop.sources import Source
from repairstudy.errors import DataError

SMALL_ITEMS, SMALL_ATTRIBUTES = "items_shuffle_1000.json", "items_ins_v2_1000.json"
FULL_ITEMS, FULL_ATTRIBUTES = "items_shuffle.json", "items_ins_v2.json"
HUMAN = "items_human_ins.json"
NOUNS = "name_nouns.json"
# What `prepare` calls `source_sum` for the small set, by whether goals are people's.
SMALL_SUMS = {
    False: "0e03633dc08ab0233bd5e4096d72cf41e30597132ea38a164e30647f2c4c84ea",
    True: "16cb8ed1bf8de9c32940f971ab2b6584ff202e2abb9f2f635e0ee0459c8b6943",
}
HOW_TO_FETCH = (
    "Fetch them with the setup script of https://github.com/princeton-nlp/WebShop (setup.sh -d "
    "{size}; MIT licence) and put them there, or name the folder that has them."
)
HOW_TO_NOUN = (
    "Put the file there, or make it once with `workflow/scripts/webshop_data.py nouns` where "
    "spaCy and its model en_core_web_sm 3.8.0 are installed."
)


def small_source(folders: Sequence[Path], human_goals: bool = False) -> Source:
    """The small set of 1,000 products, from the first folder that has its products.

    Raises:
        DataError: no folder has it; says which files to fetch.
    """
    names = [SMALL_ITEMS, SMALL_ATTRIBUTES, *([HUMAN] if human_goals else [])]
    return _source(folders, names, "small", None, human_goals)


def full_source(
    folders: Sequence[Path], num_products: int | None = None, human_goals: bool = True
) -> Source:
    """The full catalogue, or the first so many of its products.

    The published set-up is 100,000 products with the goals that people wrote.

    Raises:
        DataError: no folder has it; says which files to fetch.
    """
    names = [FULL_ITEMS, FULL_ATTRIBUTES, *([HUMAN] if human_goals else [])]
    return _source(folders, names, "all", num_products, human_goals)


def _source(
    folders: Sequence[Path], names: list[str], size: str, num_products: int | None, human: bool
) -> Source:
    folder = next((folder for folder in folders if (folder / names[0]).exists()), folders[0])
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        problem = f"lacks {', '.join(missing)}."
        raise DataError(folder, problem, HOW_TO_FETCH.format(size=size))
    if not (folder / NOUNS).exists():
        raise DataError(folder, f"lacks {NOUNS}, the nouns of the product names.", HOW_TO_NOUN)
    return Source(
        items=folder / names[0],
        attributes=folder / names[1],
        nouns=folder / NOUNS,
        human=folder / HUMAN if human else None,
        num_products=num_products,
        human_goals=human,
    )
