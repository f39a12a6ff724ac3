"""Do executors agree on which step of a failure is the decisive one?"""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import bars, behind, estimate, firmness, join
from repairstudy.report.figures.panels import Line, draw_panels, key_to, mark_of, pool_panel
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.study import study_of
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
    lines = [Line(name, _pair(name)) for name in names]
    height = 0.34 if any("\n" in line.label for line in lines) else 0.26
    return draw_panels(lines, panels, "agreement", keys, row_height=height)


def _pair(name: str) -> str:
    """Two executors on one line, or on two if their names are long."""
    first, _, second = name.partition("|")
    whole = plain(f"{first} and {second}", 200)
    return whole if len(whole) <= LONGEST_PAIR else f"{plain(first, 28)} and\n{plain(second, 28)}"


def caption(frames: Frames) -> str:
    study, rows = study_of(frames), _rows(frames)
    kappas = rows.filter(pl.col("estimand") == "kappa").sort("estimate")
    span = ""
    if kappas.height:
        low, high = kappas.row(0, named=True), kappas.row(-1, named=True)
        span = (
            f"Kappa runs from {estimate(low)} ({_where(low)}) to {estimate(high)} ({_where(high)})."
        )
    return join(
        [
            "For each failure with several positions, every executor calls the position decisive "
            "where the best candidate gains most under its own rollouts. Shown is how often two "
            "executors name the same position, and Cohen's kappa, which takes out agreement by "
            "chance.",
            bars(study),
            span,
            firmness(rows),
            behind(study),
        ]
    )


def _where(row: dict[str, str]) -> str:
    return one_line(f"{row['evaluator'].replace('|', ' and ')} in {row['pool']}", 120)


def _rows(frames: Frames) -> pl.DataFrame:
    return statistics(frames, "location_labels", *LOOKS).drop_nulls("estimate")
