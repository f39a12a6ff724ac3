"""Ranked search: BM25 as Lucene computes it, down to the rounding that decides ties.

    score(d) = sum over query terms of  w - w / (1 + f / (k1 (1 - b + b L / A)))
    w = (times in the query) ln(1 + (N - n + 0.5) / (n + 0.5))

with f the term's frequency in document d, L the length of d as one byte keeps it (`kept_length`),
A the mean length, N the number of documents and n of those with the term. Each term's part and
the sum have single precision. Equal scores are ordered by the documents' names.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repairstudy.environments.webshop.analysis import term, terms, tokens
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.store import PRODUCTS, open_products
from repairstudy.errors import DataError

K1, B = np.float32(0.9), np.float32(0.4)
EXACT = 24  # lengths up to here are kept as they are; beyond it, the excess keeps 4 bits
FOLDER = "index"  # rename it when the same texts give another index, so that no old one is found
TERMS = "terms.txt"
LINE = "\n"


@dataclass(frozen=True)
class SearchIndex:
    """Which documents hold which terms. Documents are numbered in the order of their names.

    Attributes:
        numbers: term -> its row in the arrays below.
        starts: row r owns the postings starts[r] to starts[r + 1]; int64, shape (terms + 1,).
        documents: the document of each posting, ascending within a row; int32.
        damping: 1 + f / (k1 (1 - b + b L / A)) of each posting; float32.
        weights: w of each row for a term that stands once in the query; float32.
        positions: document -> its place in the sequence that was indexed; int32.
    """

    numbers: dict[str, int]
    starts: NDArray[np.int64]
    documents: NDArray[np.int32]
    damping: NDArray[np.float32]
    weights: NDArray[np.float32]
    positions: NDArray[np.int32]

    def search(self, query: str, limit: int) -> list[tuple[int, float]]:
        """(position, score) of the best documents, at most `limit`, best first."""
        scores = np.zeros(len(self.positions))
        for name, times in Counter(terms(query)).items():
            row = self.numbers.get(name)
            if row is not None:
                span = slice(self.starts[row], self.starts[row + 1])
                weight = np.float32(times) * self.weights[row]
                scores[self.documents[span]] += weight - weight / self.damping[span]
        rounded = scores.astype(np.float32)
        return [(int(self.positions[d]), float(rounded[d])) for d in _best(rounded, limit)]

    def save(self, folder: Path) -> None:
        """Write the index into an existing folder, one file an array."""
        folder.joinpath(TERMS).write_text(LINE.join(self.numbers), encoding="utf-8")
        for field in fields(self)[1:]:
            np.save(folder / f"{field.name}.npy", getattr(self, field.name))


def load_index(folder: Path) -> SearchIndex:
    """An index that `save` wrote. Its arrays are mapped, so processes share them in memory.

    Raises:
        DataError: a file is missing or broken.
    """
    try:
        names = folder.joinpath(TERMS).read_text(encoding="utf-8").split(LINE)
        arrays: dict[str, Any] = {
            field.name: np.load(folder / f"{field.name}.npy", mmap_mode="r")
            for field in fields(SearchIndex)[1:]
        }
    except (OSError, ValueError) as error:
        raise DataError(folder, f"no search index: {error}.", "Prepare the shop again.") from error
    return SearchIndex({name: row for row, name in enumerate(names)}, **arrays)


def index_folder(folder: Path) -> Path:
    """Where the search index of a prepared catalogue is kept."""
    return folder / FOLDER


def add_index(folder: Path) -> None:
    """Index the products in a folder of a catalogue, for `prepare(..., then=add_index)`."""
    products = open_products(folder / PRODUCTS)
    index = build_index(products.column("asin"), _SearchTexts(products))
    index_folder(folder).mkdir(exist_ok=True)
    index.save(index_folder(folder))


def build_index(names: Sequence[str], texts: Sequence[str]) -> SearchIndex:
    """Index documents.

    Args:
        names: what orders equal scores, one for each text.
        texts: the documents; any sequence, read once in the order of the names.
    """
    positions = sorted(range(len(names)), key=names.__getitem__)
    words = _Words()
    lengths = np.zeros(len(positions), np.int64)
    rows, counts = array("i"), array("i")
    sizes = []  # number of distinct terms in each document
    for document, position in enumerate(positions):
        found = [row for word in tokens(texts[position]) if (row := words[word]) >= 0]
        held = Counter(found)
        lengths[document] = len(found)
        rows.extend(held.keys())
        counts.extend(held.values())
        sizes.append(len(held))
    row_of = np.array(rows, np.int32)
    order = np.argsort(row_of, kind="stable")
    document_of = np.repeat(np.arange(len(positions), dtype=np.int32), sizes)[order]
    held_by = np.bincount(row_of, minlength=len(words.rows))
    return SearchIndex(
        numbers=words.rows,
        starts=np.concatenate([[0], np.cumsum(held_by)]),
        documents=document_of,
        damping=_damping(np.array(counts, np.float32)[order], document_of, lengths),
        weights=_weights(held_by, int(np.count_nonzero(lengths))),
        positions=np.array(positions, np.int32),
    )


def kept_length(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Lengths as one byte keeps them: up to 24 exactly, and the four leading bits of the rest."""
    excess = np.maximum(lengths - EXACT, 0)
    dropped = np.maximum(np.frexp(excess)[1] - 4, 0)  # frexp's exponent is the number of bits
    return np.where(lengths < EXACT, lengths, EXACT + (excess >> dropped << dropped))


class _SearchTexts(Sequence[str]):
    """What searches look in, of one product at a time."""

    def __init__(self, products: Sequence[Product]) -> None:
        self._products = products

    def __len__(self) -> int:
        return len(self._products)

    def __getitem__(self, position: Any) -> Any:
        return self._products[position].search_text()


class _Words(dict[str, int]):
    """Word as written -> row of its term, -1 for a word that is left out. Fills as it is asked."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        name = term(word)
        row = -1 if name is None else self.rows.setdefault(name, len(self.rows))
        self[word] = row
        return row


def _damping(
    count: NDArray[np.float32], document: NDArray[np.int32], lengths: NDArray[np.int64]
) -> NDArray[np.float32]:
    filled = max(int(np.count_nonzero(lengths)), 1)
    mean = np.float32(max(int(lengths.sum()), 1) / filled)
    one = np.float32(1)
    kept = kept_length(lengths).astype(np.float32)
    inverse = one / (K1 * ((one - B) + B * kept / mean))
    return one + count * inverse[document]


def _weights(held_by: NDArray[np.int64], filled: int) -> NDArray[np.float32]:
    return np.log(1 + (filled - held_by + 0.5) / (held_by + 0.5)).astype(np.float32)


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Documents with a score, best first, ties in their order."""
    least = np.float32(0)
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    chosen = np.flatnonzero((scores >= least) & (scores > 0))
    return chosen[np.argsort(-scores[chosen], kind="stable")][:limit]
