"""Tables as files."""

import csv

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.tables import PUBLISHED, loss_table, write_tables
from repairstudy.store import read_table


@pytest.fixture(scope="module")
def folder(frames, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    write_tables(frames, folder)
    return folder


@pytest.mark.parametrize("name", PUBLISHED)
def test_parquet_keeps_every_digit(frames, folder, name):
    if name not in frames:
        assert not (folder / f"{name}.parquet").exists()
        return
    again = read_table(folder / f"{name}.parquet", TABLES[name])
    assert again.equals(frames[name].sort(TABLES[name].key))


def test_csv_keeps_every_digit_and_joins_lists(frames, folder):
    again = pl.read_csv(folder / "results.csv", infer_schema_length=None)
    assert again["estimate"].to_list() == frames["results"]["estimate"].to_list()
    with (folder / "candidates.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = frames["candidates"]["sources"].to_list()
    assert [row["sources"].split(";") if row["sources"] else [] for row in rows] == wanted


def test_times_in_csv_are_utc(folder):
    with (folder / "provenance.csv").open(encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert row["started"] == "2026-11-29T12:00:00.000000Z"


def test_the_loss_table_joins_gain_loss_and_worth(frames):
    table = loss_table(frames)
    row = table.row(
        by_predicate=(pl.col("pool") == "smollm2") & (pl.col("evaluator") == "greedy"), named=True
    )
    results = frames["results"].filter(
        (pl.col("pool") == "smollm2") & (pl.col("evaluator") == "greedy")
    )
    by_name = {(r["analysis"], r["estimand"]): r for r in results.to_dicts()}
    assert row["net_gain"] == by_name["losses", "net_gain"]["estimate"]
    assert row["loss"] == by_name["losses", "loss"]["estimate"]
    assert row["p_holm"] == by_name["losses", "loss"]["p_holm"]
    worth = by_name["equivalent_budget", "equivalent_budget"]
    assert row["equivalent_budget"] == worth["estimate"]
    assert row["scope"] == "position"


def test_matched_selection_has_a_gain_and_no_loss(frames):
    rows = loss_table(frames).filter(pl.col("evaluator") == "matched")
    assert rows["net_gain"].null_count() == 0
    assert rows["loss"].null_count() == rows.height
