"""docs/command-line.md has what the commands say of themselves."""

import re

import pytest
from documented import ROOT
from typer.testing import CliRunner

from repairstudy.cli.main import app

PAGE = (ROOT / "docs/command-line.md").read_text("utf-8")
COMMANDS = [command.name for command in app.registered_commands]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_the_help_is_on_the_page(name):
    told = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
    assert told.exit_code == 0
    section = PAGE.split(f"## repairstudy {name}\n")[1].split("\n## ")[0]
    options = set(re.findall(r"^  (--[a-z-]+)", told.stdout, re.MULTILINE)) - {"--help"}
    assert options == set(re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE))


def test_every_command_and_target_is_on_the_page():
    listed = re.findall(r"^## repairstudy (.+)$", PAGE, re.MULTILINE)
    assert listed == COMMANDS
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE):
        assert f"| `{target}` |" in PAGE
