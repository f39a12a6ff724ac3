"""A value is computed once, counted, and given up when there is no room."""

import threading
import time

import pytest

from repairstudy.environments.alfworld.memo import Memo, MemoCounts


def test_counts_hits_misses_and_what_is_held():
    memo = Memo(capacity=10)
    assert [memo.get(key, lambda key=key: key.upper()) for key in "abaab"] == list("ABAAB")
    assert memo.counts() == MemoCounts(hits=3, misses=2, held=2)


def test_the_value_not_used_for_longest_gives_way():
    memo = Memo(capacity=2)
    for key in "aba":
        memo.get(key, lambda: None)
    memo.get("c", lambda: None)  # b goes
    assert memo.counts().held == 2
    before = memo.counts().hits
    memo.get("a", lambda: None)
    assert memo.counts().hits == before + 1
    memo.get("b", lambda: None)
    assert memo.counts().hits == before + 1


def test_threads_that_ask_together_share_one_computation():
    memo, computed = Memo(capacity=10), []

    def slow():
        time.sleep(0.05)
        computed.append(1)
        return "value"

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(memo.get("k", slow))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["value"] * 16
    assert computed == [1]
    assert memo.counts() == MemoCounts(hits=15, misses=1, held=1)


def test_an_error_is_not_kept():
    memo = Memo(capacity=10)

    def fail():
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        memo.get("k", fail)
    assert memo.get("k", lambda: 1) == 1
