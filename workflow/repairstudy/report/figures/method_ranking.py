"""Which source of candidates is best, depending on which executor scores them."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, bars, described, within
from repairstudy.report.figures.panels import Line, Mark, draw_panels, key_to, mark_of, pool_panel
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.numbers import decimal
from repairstudy.report.study import Pool, executor_names, study_of
from repairstudy.report.style import plain, series, styled
from repairstudy.report.text import one_line
from repairstudy.report.wording import listed

TITLE = "Ranking of candidate sources under each scoring executor"
ESTIMANDS = ("net_gain", "value")


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool, a row a source, a mark for each executor that scores."""
    study, rows = study_of(frames), _rows(frames)
    sources = _from_best_to_worst(rows)
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


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    return described(
        [*(_sentence(frames, rows, pool) for pool in study.pools), _changes(frames)],
        [
            "Mean net gain of the candidates of each source (who proposed them, the planner's "
            "privileged action, a random action), as each executor's rollouts score them; the "
            "source that gains most on average is on top. Where the order of the marks differs "
            "from row to row, the executors rank the sources differently.",
            bars(study),
        ],
        rows,
        study,
    )


def _sentence(frames: Frames, rows: pl.DataFrame, pool: Pool) -> str:
    """Which sources come first in a pool, and under which executors."""
    mine = rows.filter(pl.col("pool") == pool.name)
    scorers: dict[str, list[str]] = {}
    for scorer in _scorers(frames, mine):
        best = mine.filter(pl.col("scorer") == scorer).sort("estimate", "source", descending=True)
        scorers.setdefault(str(best["source"][0]), []).append(scorer)
    if not scorers:
        return ""
    if len(scorers) == 1:
        [(source, judges)] = scorers.items()
        all_of = "the one executor that scores" if len(judges) == 1 else "every executor"
        return f"{within(pool)} {all_of} puts {one_line(source)} first."
    parts = [f"{one_line(source)} under {_names(judges)}" for source, judges in scorers.items()]
    return f"{within(pool)} {len(parts)} sources come first: {'; '.join(parts)}."


def _names(scorers: list[str]) -> str:
    return listed(one_line(scorer) for scorer in scorers)


def _changes(frames: Frames) -> str:
    rows = statistics(frames, "method_ranking", "winner_change_probability").drop_nulls("estimate")
    shares = rows["estimate"].sort()
    if not len(shares):
        return ""
    low, high = decimal(shares[0]), decimal(shares[-1])
    return "The bootstrap probability that two executors put different sources first " + (
        f"is {low}." if low == high else f"runs from {low} to {high} over pairs and pools."
    )


def _from_best_to_worst(rows: pl.DataFrame) -> list[str]:
    means = rows.group_by("source").agg(pl.col("estimate").mean())
    return list(means.sort(-pl.col("estimate"), "source")["source"])


def _rows(frames: Frames) -> pl.DataFrame:
    rows = statistics(frames, "method_ranking", *ESTIMANDS).drop_nulls("estimate")
    # An executor's name may not hold a "|" of its own; a source's might.
    pair = pl.col("evaluator").str.extract_groups(r"^(?<source>.*)\|(?<scorer>[^|]*)$")
    return rows.with_columns(pair.alias("pair")).unnest("pair").drop_nulls(["source", "scorer"])


def _scorers(frames: Frames, rows: pl.DataFrame) -> list[str]:
    found = rows["scorer"].unique().sort().to_list()
    known = [name for name in executor_names(frames) if name in found]
    return known + [name for name in found if name not in known]
