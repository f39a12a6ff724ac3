"""LaTeX tables: whatever stands in a cell is printed, and nothing of it is obeyed."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.report.latex import LONGEST_TABLE, escaped, table
from repairstudy.report.paper import as_latex, paper_grids, write_paper_tables

HOSTILE = r"""a_b%&#{}~^\ \input{/etc/passwd} $x$ "q" <i> | −0.1 ∞ é ŷ đ 漢 ‹U+202E› x@y*z[1]`'"""
# What TeX may read as its own after escaping: commands of ours, and signs in pairs.
COMMANDS = re.compile(
    r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|ldots|infty"
    r"|times|pm|cdot|ss|ae|AE|o|O|l|L|i|j)\b|\\[{}$&#_%,`'^~=u.\"rHvck]"
)


def balanced(text):
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    return depth == 0


def test_signs_that_mean_something_to_tex():
    assert escaped(r"a_b%&#{}~^\ $") == (
        r"a\_b\%\&\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{} \$"
    )
    assert escaped("−0.1 to ∞") == r"$-$0.1 to $\infty$"
    assert escaped("48\u202f607") == "48 607"  # as on the page
    assert escaped("<é>") == r"\textless{}\'{e}\textgreater{}"
    assert escaped("ï") == r"\"{\i}"
    assert escaped("漢\u202e") == "[U+6F22][U+2039]U+202E[U+203A]"


@given(st.text(max_size=60))
def test_any_text_is_plain_and_balanced(text):
    latex = escaped(text)
    assert latex.isascii()
    assert "\n" not in latex
    assert balanced(latex)
    bare = COMMANDS.sub("", latex)
    assert "\\" not in bare
    assert not set("&#_%^") & set(bare)
    assert bare.count("$") % 2 == 0


@given(st.lists(st.lists(st.text(max_size=12), min_size=3, max_size=3), min_size=1, max_size=60))
def test_every_row_has_every_column(rows):
    latex = table(("a", "b_c", "d"), rows, [2], "A caption & more", "name")
    body = latex[latex.index(r"\midrule") :]
    lines = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(lines) >= len(rows)
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 for line in lines)
    assert balanced(latex)
    assert r"\caption{A caption \& more}\label{tab:name}" in latex
    kind = "longtable" if len(rows) > LONGEST_TABLE else "tabular"
    assert latex.count(rf"\begin{{{kind}}}") == latex.count(rf"\end{{{kind}}}") == 1


def test_a_repeated_first_cell_is_left_out_and_groups_are_parted():
    rows = [("x", "1"), ("x", "2"), ("y", "3")]
    body = table(("pool", "n"), rows, [1]).split(r"\midrule", 1)[1]
    assert body.splitlines()[1:5] == [r"x & 1 \\", r" & 2 \\", r"\midrule", r"y & 3 \\"]


def test_every_table_of_the_report_is_written_twice(frames, tmp_path):
    paths = write_paper_tables(frames, tmp_path)
    grids = paper_grids(frames)
    assert {path.name for path in paths} == {
        f"{name}.{ending}" for name in grids for ending in ("tex", "csv")
    }
    assert {"losses", "failure_losses", "negative_control", "cost", "audit"} <= set(grids)
    for name, grid in grids.items():
        text = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert text.startswith(",".join(grid.columns[:2]))
        latex = (tmp_path / f"{name}.tex").read_text(encoding="utf-8")
        assert rf"\label{{tab:{name}}}" in latex
        assert latex.isascii()


def test_the_same_study_gives_the_same_bytes(frames, tmp_path):
    first = write_paper_tables(frames, tmp_path / "a")
    second = write_paper_tables(frames, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_table_says_how_firm_its_rows_are(frames):
    grids = paper_grids(frames)
    assert "All rows are exploratory." in as_latex("exact", grids["exact"])
    mixed = as_latex("losses", grids["losses"])
    assert " confirmatory " in mixed
    assert " exploratory " in mixed
    assert "All rows" not in mixed


def test_scopes_are_tables_of_their_own(frames):
    grids = paper_grids(frames)
    rows = frames["results"].filter(estimand="loss")
    assert len(grids["losses"].rows) == rows.filter(analysis="losses").height
    assert len(grids["failure_losses"].rows) == rows.filter(analysis="failure_scope").height


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_all_of_them_compile_with_hostile_names(frames, tmp_path):
    """Also where a study's names are an attack on TeX."""
    paths = [path for path in write_paper_tables(frames, tmp_path) if path.suffix == ".tex"]
    attack = table(("a", HOSTILE), [(HOSTILE, HOSTILE)] * 3, [1], HOSTILE, "attack")
    (tmp_path / "attack.tex").write_text(attack, encoding="utf-8")
    inputs = "\n".join(rf"\input{{{path.stem}}}\clearpage" for path in paths)
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs,longtable}\n\\begin{document}\n"
        f"{inputs}\n\\input{{attack}}\n\\end{{document}}\n"
    )
    made = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout[-2000:]
    assert "root:" not in made.stdout
