"""Which source of candidates is best, depending on which executor scores them."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import bars, behind, firmness, join
from repairstudy.report.figures.panels import Line, Mark, draw_panels, key_to, mark_of, pool_panel
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.numbers import decimal
from repairstudy.report.study import Pool, executor_names, study_of
from repairstudy.report.style import plain, series, styled
from repairstudy.report.text import one_line

TITLE = "Ranking of candidate sources under each scoring executor"
ESTIMANDS = ("net_gain", "value")


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool, a row a source, a mark for each executor that scores."""
    study, rows = study_of(frames), _rows(frames)
    sources = rows["source"].unique().sort().to_list()
    scorers = _scorers(frames, rows)
    looks = series(scorers)
    step = min(0.2, 0.7 / len(scorers))
    panels = []
    for pool in study.pools:
        marks: list[Mark] = []
        for row in rows.filter(pl.col("pool") == pool.name).iter_rows(named=True):
            colour, marker = looks[row["scorer"]]
            place = (len(scorers) - 1) / 2 - scorers.index(row["scorer"])
            marks.append(
                mark_of(
                    row, row["source"], colour, marker=marker, offset=place * step,
                    filled=False, starred=False, size=4.5,
                )
            )  # fmt: skip
        panels.append(pool_panel(pool, marks))
    keys = [
        key_to(f"scored by {plain(name, 24)}", colour, filled=False, marker=marker)
        for name, (colour, marker) in looks.items()
    ]
    lines = [Line(source, plain(source, 28)) for source in sources]
    height = 0.11 * len(scorers) + 0.12
    return draw_panels(
        lines, panels, f"mean net gain of a source's candidates ({study.unit})", keys,
        row_height=height,
    )  # fmt: skip


def caption(frames: Frames) -> str:
    study, rows = study_of(frames), _rows(frames)
    return join(
        [
            "Mean net gain of the candidates of each source (who proposed them, the planner's "
            "privileged action, a random action), as each executor's rollouts score them. Where "
            "the order of the marks differs from row to row, the executors rank the sources "
            "differently.",
            bars(study),
            *(_sentence(frames, rows, pool) for pool in study.pools),
            _changes(frames),
            firmness(rows),
            behind(study),
        ]
    )


def _sentence(frames: Frames, rows: pl.DataFrame, pool: Pool) -> str:
    mine = rows.filter(pl.col("pool") == pool.name)
    if mine.is_empty():
        return ""
    winners = []
    for scorer in _scorers(frames, mine):
        best = mine.filter(pl.col("scorer") == scorer).sort("estimate", "source", descending=True)
        if best.height:
            winners.append(f"{best['source'][0]} under {scorer} ({decimal(best['estimate'][0])})")
    return one_line(f"First in {pool.name}: {', '.join(winners)}.", 2000)


def _changes(frames: Frames) -> str:
    rows = statistics(frames, "method_ranking", "winner_change_probability").drop_nulls("estimate")
    if rows.is_empty():
        return ""
    shares = rows["estimate"].sort()
    return (
        "The bootstrap probability that two executors put different sources first runs from "
        f"{decimal(shares[0])} to {decimal(shares[-1])} over their pairs and the pools."
    )


def _rows(frames: Frames) -> pl.DataFrame:
    rows = statistics(frames, "method_ranking", *ESTIMANDS).drop_nulls("estimate")
    # An executor's name may not hold a "|" of its own; a source's might.
    pair = pl.col("evaluator").str.extract_groups(r"^(?<source>.*)\|(?<scorer>[^|]*)$")
    return rows.with_columns(pair.alias("pair")).unnest("pair").drop_nulls(["source", "scorer"])


def _scorers(frames: Frames, rows: pl.DataFrame) -> list[str]:
    found = rows["scorer"].unique().sort().to_list()
    known = [name for name in executor_names(frames) if name in found]
    return known + [name for name in found if name not in known]
