"""Duplicates merge, every source is kept, and the original is never a candidate."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.candidates.merge import candidate_id, merge_proposals
from repairstudy.records.tables import PROPOSALS

POSITION = pl.DataFrame({"failure_id": ["f"], "t": [2], "original": ["up"]})


def proposals(*rows):
    return pl.DataFrame(
        [
            {"failure_id": "f", "t": 2, "source": s, "draw": i, "text": str(a), "action": a}
            for i, (s, a) in enumerate(rows)
        ],
        schema=PROPOSALS.schema,
    )


def test_equal_proposals_become_one_candidate_with_all_sources():
    merged = merge_proposals(POSITION, proposals(("m2", "down"), ("m1", "down"), ("m1", "down")))
    down = merged.filter(action="down").row(0, named=True)
    assert down["sources"] == ["m1", "m2"]
    assert down["candidate_id"] == candidate_id("f", 2, "down")
    assert not down["is_original"]


def test_a_proposal_of_the_original_is_no_repair_but_keeps_its_source():
    merged = merge_proposals(POSITION, proposals(("m1", "up"), ("m1", "left")))
    up = merged.filter(action="up").row(0, named=True)
    assert up["is_original"]
    assert up["sources"] == ["m1"]
    assert merged.filter(~pl.col("is_original"))["action"].to_list() == ["left"]


def test_an_unparsable_proposal_adds_nothing():
    merged = merge_proposals(POSITION, proposals(("m1", None)))
    assert merged["action"].to_list() == ["up"]
    assert merged["sources"].to_list() == [[]]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["up", "down", None]))))
def test_the_order_of_proposals_does_not_matter(rows):
    forward = merge_proposals(POSITION, proposals(*rows))
    backward = merge_proposals(POSITION, proposals(*reversed(rows)))
    assert forward.equals(backward)
