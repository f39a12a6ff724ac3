"""Do executors agree on which step of a failure is the decisive one?"""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, bars, described, estimate, extreme, within
from repairstudy.report.figures.panels import Line, draw_panels, key_to, mark_of, pool_panel
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import BLUE, INK, plain, styled
from repairstudy.report.text import one_line

TITLE = "Agreement of executors on the decisive position"
LONGEST_PAIR = 36  # characters of two names on one line
LOOKS = {"kappa": (BLUE, "o", 0.15), "exact_agreement": (INK, "s", -0.15)}


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool, a row a pair of executors."""
    study, rows = study_of(frames), _rows(frames)
    panels = []
    for pool in study.pools:
        marks = []
        for row in rows.filter(pl.col("pool") == pool.name).iter_rows(named=True):
            colour, marker, offset = LOOKS[row["estimand"]]
            marks.append(
                mark_of(
                    row, row["evaluator"], colour, marker=marker, offset=offset,
                    filled=False, starred=False, size=4.5,
                )
            )  # fmt: skip
        panels.append(pool_panel(pool, marks))
    keys = [
        key_to("Cohen's kappa (0: chance)", BLUE, filled=False),
        key_to("share of failures with the same label", INK, filled=False, marker="s"),
    ]
    names = rows["evaluator"].unique().sort().to_list()
    lines = [Line(name, _label(name)) for name in names]
    height = 0.34 if any("\n" in line.label for line in lines) else 0.26
    return draw_panels(lines, panels, "agreement", keys, row_height=height)


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    return described(
        [_sentence(rows.filter(pl.col("estimand") == "kappa"), pool) for pool in study.pools],
        [
            "For each failure with several positions, every executor calls the position decisive "
            "where the best candidate gains most under its own rollouts. Shown is how often two "
            "executors name the same position, and Cohen's kappa, which takes out agreement by "
            "chance: 0 is chance, 1 full agreement.",
            bars(study),
        ],
        rows,
        study,
    )


def _sentence(kappas: pl.DataFrame, pool: Pool) -> str:
    """From what to what kappa runs over the pairs of executors of a pool."""
    low, high = extreme(kappas, pool.name, largest=False), extreme(kappas, pool.name)
    if low is None or high is None:
        return ""
    if low == high:
        return f"{within(pool)} kappa is {estimate(high)} for {_pair(high)}."
    return (
        f"{within(pool)} kappa runs from {estimate(low)} for {_pair(low)} to {estimate(high)} for "
        f"{_pair(high)}."
    )


def _pair(row: dict[str, str]) -> str:
    return one_line(row["evaluator"].replace("|", " and "), 120)


def _label(pair: str) -> str:
    """Two executors on one line, or on two if their names are long."""
    first, _, second = pair.partition("|")
    whole = plain(f"{first} and {second}", 200)
    return whole if len(whole) <= LONGEST_PAIR else f"{plain(first, 28)} and\n{plain(second, 28)}"


def _rows(frames: Frames) -> pl.DataFrame:
    """Agreement of pairs; which of the two is named first says nothing and is the same in all."""
    pair = pl.col("evaluator").str.split("|").list.sort().list.join("|")
    return statistics(frames, "location_labels", *LOOKS).drop_nulls("estimate").with_columns(pair)
