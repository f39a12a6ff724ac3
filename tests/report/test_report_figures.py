"""Figures: what is drawn, when, and that the same data give the same bytes."""

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.figures import FIGURES, draw_all
from repairstudy.report.style import legend_columns, plain, save, series


def of_pool(frames, analysis, estimand, pool):
    return frames["results"].filter(
        (pl.col("pool") == pool)
        & (pl.col("analysis") == analysis)
        & (pl.col("estimand") == estimand)
    )


def test_every_figure_is_drawn_when_there_is_everything(frames, tmp_path):
    paths = draw_all(frames, tmp_path, ["svg"])
    names = [path.stem for path in paths if path.suffix == ".svg"]
    assert names == list(FIGURES)
    for ending in (".txt", ".rst"):
        assert [path.stem for path in paths if path.suffix == ending] == names
    assert all(path.stat().st_size > 200 for path in paths)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_data_is_not_drawn(name):
    empty = {table: TABLES[table].empty() for table in TABLES}
    assert not FIGURES[name].available(empty)


def test_a_study_of_outcomes_made_elsewhere_has_no_exact_values_and_no_cost(elsewhere):
    names = {name for name, spec in FIGURES.items() if spec.available(elsewhere)}
    assert not names & {"exact_values", "mismatch_split", "cost", "budget_curve"}
    assert {"losses", "executor_matrix", "positive_control"} <= names
    for name in names:
        FIGURES[name].draw(elsewhere)


def test_the_same_data_give_the_same_bytes(frames, tmp_path):
    spec = FIGURES["cost"]
    first = save(spec.draw(frames), tmp_path / "first")
    second = save(spec.draw(frames), tmp_path / "second")
    assert [path.suffix for path in first] == [".svg", ".png", ".pdf"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_users_own_matplotlib_settings_change_nothing(frames, tmp_path):
    spec = FIGURES["cost"]
    [plainly] = save(spec.draw(frames), tmp_path / "plain", ["svg"])
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.hashsalt": "other"}):
        [styled] = save(spec.draw(frames), tmp_path / "styled", ["svg"])
    assert styled.read_bytes() == plainly.read_bytes()


def test_filled_marks_are_the_confirmatory_ones(frames):
    figure = FIGURES["losses"].draw(frames)
    panel = next(axes for axes in figure.axes if axes.get_title(loc="left") == "smollm2")
    marks = [line for line in panel.lines if line.get_marker() == "o"]
    filled = [mark for mark in marks if mark.get_markerfacecolor() == mark.get_color()]
    rows = of_pool(frames, "losses", "loss", "smollm2")
    assert len(marks) == rows.height
    assert sorted(float(mark.get_xdata()[0]) for mark in filled) == sorted(
        rows.filter("confirmatory")["estimate"]
    )
    stars = [line for line in panel.lines if line.get_marker() == (6, 2, 0)]
    assert len(stars) == rows["reject"].sum()


def test_an_interval_is_drawn_from_end_to_end(frames):
    figure = FIGURES["losses"].draw(frames)
    panel = next(axes for axes in figure.axes if axes.get_title(loc="left") == "smollm2")
    drawn = {tuple(line.get_xdata()) for line in panel.lines if len(line.get_xdata()) == 2}
    wanted = of_pool(frames, "losses", "loss", "smollm2").select("ci_low", "ci_high").rows()
    assert set(wanted) <= drawn


def test_an_uninformative_pool_is_shaded(frames):
    figure = FIGURES["losses"].draw(frames)
    titles = [axes.get_title(loc="left").replace("\n", "") for axes in figure.axes]
    colours = dict(zip(titles, (axes.get_facecolor() for axes in figure.axes), strict=True))
    assert colours["policy-strong-screened"] != colours["smollm2"] == colours["policy-strong"]


def test_evaluators_stand_where_their_value_meets_the_curve(frames):
    figure = FIGURES["budget_curve"].draw(frames)
    panel = next(axes for axes in figure.axes if axes.get_title(loc="left") == "smollm2")
    dots = {
        (round(float(line.get_xdata()[0]), 9), round(float(line.get_ydata()[0]), 9))
        for line in panel.lines
        if len(line.get_xdata()) == 1
    }
    worth = of_pool(frames, "equivalent_budget", "equivalent_budget", "smollm2")
    gains = of_pool(frames, "losses", "net_gain", "smollm2")
    value = dict(gains.select("evaluator", "estimate").rows())
    finite = worth.filter(pl.col("estimate").is_finite() & (pl.col("evaluator") != "random"))
    assert finite.height
    for name, budget in finite.select("evaluator", "estimate").rows():
        assert (round(budget, 9), round(value[name], 9)) in dots


@pytest.mark.parametrize("name", FIGURES)
def test_captions_say_how_firm_the_results_are(frames, name):
    caption = FIGURES[name].caption(frames)
    said = ("exploratory", "confirmatory", "nothing tested")
    assert any(word in caption.firmness for word in said)
    assert any(digit in caption.shows for digit in "0123456789")
    assert any(digit in caption.number for digit in "0123456789")
    assert caption.reading.endswith(".")


def test_the_caption_of_the_losses_counts_what_was_tested(frames):
    caption = FIGURES["losses"].caption(frames)
    tested = frames["results"].filter((pl.col("analysis") == "losses") & pl.col("confirmatory"))
    said = f"{tested['reject'].sum()} of {tested.height} pre-specified losses are above zero."
    assert said in caption.shows
    assert "smollm2 (8)" in caption.number


def test_names_from_elsewhere_are_drawn_as_text(frames):
    """Dollar signs, control characters and letters the font lacks: no warning, no markup."""
    hostile = "a$x_1$\x00\u202e漢<b>" + "y" * 200
    renamed = frames["results"].with_columns(
        pl.col("evaluator").str.replace("policy-weak", hostile, literal=True)
    )
    figure = FIGURES["losses"].draw({**frames, "results": renamed})
    figure.draw_without_rendering()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    shown = [label for label in labels if label.startswith("a$x_1$")]
    assert shown
    assert all("\x00" not in label and "\u202e" not in label for label in shown)


def test_letters_that_the_font_lacks_become_boxes():
    assert plain("漢 é") == "□ é"


def test_the_library_can_be_imported_without_drawing_anything():
    code = "import sys, repairstudy.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_style_file_ships_with_the_library():
    from repairstudy.report import style

    assert style.RC_FILE.is_file()
    assert Path(style.__file__).parent == style.RC_FILE.parent


def test_a_legend_of_long_names_stays_within_the_figure():
    assert legend_columns(["exploratory", "threshold 0.10"]) == 2
    assert legend_columns(["scored by qwen2.5-14b-instruct"] * 6) < 4
    assert legend_columns(["x" * 500]) == 1
    assert legend_columns([]) == 1


def test_the_rows_of_a_legend_are_even():
    """Five labels of which four would fit make three columns, not four and one."""
    assert legend_columns(["n" * 20] * 5) == 3
    assert legend_columns(["confirmatory", "exploratory", "rejected after Holm's correction"]) == 3


def test_ten_series_look_different():
    assert len(set(series([f"executor {n}" for n in range(10)]).values())) == 10
