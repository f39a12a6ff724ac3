"""BM25 search."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.environments.webshop.analysis import terms
from repairstudy.environments.webshop.index import build_index, kept_length, load_index
from repairstudy.errors import DataError

TEXTS = ["red lamp", "red red chair", "blue lamp with a long name", ""]
NAMES = ["b", "a", "c", "d"]


def test_scores_follow_the_formula() -> None:
    """Three documents have terms, 2 + 3 + 4 of them ("with" and "a" are left out)."""
    red = log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    in_chair = red * (1 - 1 / (1 + 2 / (0.9 * (0.6 + 0.4 * 3 / 3))))
    in_lamp = red * (1 - 1 / (1 + 1 / (0.9 * (0.6 + 0.4 * 2 / 3))))
    found = build_index(NAMES, TEXTS).search("Red", 10)
    assert [position for position, _ in found] == [1, 0]
    assert [score for _, score in found] == pytest.approx([in_chair, in_lamp], rel=1e-6)


def test_equal_scores_are_ordered_by_name() -> None:
    index = build_index(["c", "a", "b", "d"], ["red lamp", "red hat", "red cup", "blue"])
    assert [position for position, _ in index.search("red", 10)] == [1, 2, 0]
    assert [position for position, _ in index.search("red", 2)] == [1, 2]


def test_a_repeated_word_counts_as_often_as_it_stands() -> None:
    index = build_index(NAMES, TEXTS)
    once, twice = index.search("red", 10), index.search("red Reds", 10)
    assert [score for _, score in twice] == pytest.approx([2 * score for _, score in once])


@pytest.mark.parametrize("query", ["", " ", "with the", "unknown", "!?"])
def test_a_query_without_known_terms_finds_nothing(query: str) -> None:
    assert build_index(NAMES, TEXTS).search(query, 10) == []


def test_an_index_of_nothing_finds_nothing(tmp_path: Path) -> None:
    build_index([], []).save(tmp_path)
    assert load_index(tmp_path).search("red", 10) == []


def test_lengths_are_exact_below_forty_and_then_lose_bits() -> None:
    given_lengths = [*range(42), 57, 58, 100, 1000]
    kept = kept_length(np.array(given_lengths)).tolist()
    assert kept[:40] == given_lengths[:40]
    assert dict(zip(given_lengths[40:], kept[40:], strict=True)) == {
        **{40: 40, 41: 40, 57: 56, 58: 56},  # 24 + 16, 24 + 17 -> 24 + 16, 24 + 33 -> 24 + 32
        **{100: 96, 1000: 984},  # 24 + 76 -> 24 + 72, 24 + 976 -> 24 + 960
    }


def test_a_saved_index_finds_the_same(tmp_path: Path) -> None:
    index = build_index(NAMES, TEXTS)
    index.save(tmp_path)
    loaded = load_index(tmp_path)
    assert isinstance(loaded.documents, np.memmap)
    for query in ("red lamp", "long blue name", "chair"):
        assert loaded.search(query, 3) == index.search(query, 3)


def test_a_folder_without_an_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no search index.*Prepare the shop again"):
        load_index(tmp_path)


words = st.sampled_from(["red", "lamp", "chair", "desks", "blue", "3.5", "with", "men's"])
texts = st.lists(words, max_size=60).map(" ".join)


def plain_scores(documents: list[str], query: str) -> list[float]:
    """The formula in double precision, one document after the other."""
    split = [terms(text) for text in documents]
    filled = [len(found) for found in split if found]
    scores = []
    for found in split:
        length, score = int(kept_length(np.array([len(found)]))[0]), 0.0
        for name, times in Counter(terms(query)).items():
            holders = sum(name in other for other in split)
            if not found or not holders:
                continue
            weight = times * log(1 + (len(filled) - holders + 0.5) / (holders + 0.5))
            mean = sum(filled) / len(filled)
            bound = 0.9 * (0.6 + 0.4 * length / mean)
            score += weight * (1 - 1 / (1 + found.count(name) / bound))
        scores.append(score)
    return scores


@given(st.lists(texts, min_size=1, max_size=12), texts, st.integers(1, 12))
def test_any_search_agrees_with_the_formula_read_plainly(
    documents: list[str], query: str, limit: int
) -> None:
    index = build_index([f"{number:02d}" for number in range(len(documents))], documents)
    found = index.search(query, limit)
    expected = plain_scores(documents, query)
    assert len(found) == min(limit, sum(score > 0 for score in expected))
    best = sorted(expected, reverse=True)
    for place, (position, score) in enumerate(found):
        assert score == pytest.approx(expected[position], rel=1e-5)
        assert score == pytest.approx(best[place], rel=1e-5)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
