"""`snakemake audit` on an environment of a user's own, found through its entry point."""

import shutil
from pathlib import Path

import polars as pl
import pytest

pytestmark = pytest.mark.workflow
CORRIDOR = Path(__file__).parents[1] / "corridor.py"
ENTRY_POINTS = """
[repairstudy.environments]
corridor = corridor:Corridor
unplanned = corridor:Unplanned
generous = generous:Generous
"""
GENEROUS = """
from corridor import Corridor
from repairstudy.environments import Outcome


class Generous(Corridor):
    name = "generous"

    def outcome(self):
        return Outcome(True, 1.0)
"""


@pytest.fixture(scope="module")
def workspace(make_workspace, tmp_path_factory):
    """A workspace whose Python finds a package that offers three environments."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copy(CORRIDOR, folder)
    (folder / "generous.py").write_text(GENEROUS)
    information = folder / "mine-0.1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 0.1\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        yield make_workspace("audit")


def checks(workspace, name):
    table = pl.read_csv(workspace.path(f"results/audit/{name}/checks.csv"))
    return dict(table.select("check", "passed").iter_rows())


def test_an_environment_of_ones_own_with_options_is_audited(workspace):
    output = workspace.run("audit", "--config", "environment={name: corridor, options: {rooms: 4}}")
    found = checks(workspace, "corridor")
    assert set(found.values()) == {True}
    assert len([name for name in found if name.startswith("planted: ")]) == 7
    page = workspace.path("results/audit/corridor/audit.md").read_text(encoding="utf-8")
    assert page in output
    planted = pl.read_csv(workspace.path("results/audit/corridor/planted.csv"))
    different = planted.filter(pl.col("difference").is_not_null())
    assert different.height > 30
    assert different["caught_by"].null_count() == 0


def test_what_cannot_be_checked_is_no_failure_and_no_success(workspace):
    workspace.run("audit", "--config", "environment={name: unplanned}")
    found = checks(workspace, "unplanned")
    assert found["reference solution: accepted"] is None
    assert found["does nothing: rejected"] is True
    page = workspace.path("results/audit/unplanned/audit.md").read_text(encoding="utf-8")
    assert "| reference solution: accepted | not applicable |" in page


def test_a_scorer_that_is_not_to_be_trusted_fails_the_command_and_keeps_its_page(workspace):
    output = workspace.run("audit", "--config", "environment={name: generous}", expect=1)
    assert "Not to be trusted: " in output
    assert checks(workspace, "generous")["does nothing: rejected"] is False


def test_an_unknown_environment_and_a_wrong_form_are_said(workspace):
    unknown = workspace.run("audit", "--config", "environment={name: nowhere}", expect=1)
    assert "no environment 'nowhere' (installed: " in unknown
    wrong = workspace.run("audit", "--config", "environment={nam: corridor}", expect=1)
    assert "--config environment: nam: unknown key; did you mean 'name'? (accepted: " in wrong


def test_a_study_of_outcomes_has_nothing_to_audit(workspace):
    said = workspace.run(
        "audit", "--config", "study=mine", "outcomes=mine.csv", expect=1,
        configfile="config/studies/outcomes.yaml",
    )  # fmt: skip
    assert "name an environment by --config environment={name: NAME" in said
