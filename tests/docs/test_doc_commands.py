"""Every command in README and documentation can be given as it stands.

Programs, options, targets, scripts and configuration files exist; of Snakemake, a dry run finds its
targets. Words in capitals (`FILE`, `NAME`) stand for something of the reader's.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from documented import BLOCKS, ROOT, commands_of, project_at
from snakemake.cli import get_argument_parser

from repairstudy.cli.main import app

# Programs that are not ours: nothing is checked but that the command can be read.
OTHERS = {"cat", "cd", "cp", "export", "git", "ls", "mkdir", "sed", "squeue", "tail"}
SHELL = [block for block in BLOCKS if block.language == "sh"]
COMMANDS = [(block, words) for block in SHELL for words in commands_of(block.content)]
PARSER = get_argument_parser()


def studies():
    """What Snakemake is asked for: all targets by configuration and profile.

    One dry run a configuration finds all of its targets; each takes seconds.
    """
    asked = {}
    for block, words in COMMANDS:
        if words[0] == "snakemake" and block.mark not in ("not run", "tested in"):
            known = PARSER.parse_args(words[1:])
            options = ["--configfile", *map(str, known.configfile)] if known.configfile else []
            options += ["--config", *known.config] if known.config else []
            if known.workflow_profile:
                options += ["--workflow-profile", str(known.workflow_profile)]
            asked.setdefault(tuple(options), set()).update(known.targets or {"all"})
    return asked


STUDIES = studies()


def program(words):
    """The program of a command, `python -m MODULE` being one."""
    if words[0] == "python":
        return f"{words[1]} {words[2]}" if words[1] == "-m" else f"python {words[1]}"
    return words[0]


@pytest.mark.parametrize("block", SHELL, ids=str)
def test_each_command_exists(block):
    for words in commands_of(block.content):
        name = program(words)
        if name == "make":
            check_make(words[1:])
        elif name == "repairstudy":
            check_options(words[1], words[2:])
        elif name == "python -c":
            ast.parse(words[2])
        elif name == "-m pytest":
            check_paths(words[3:])
        elif name == "-m tests.benchmarks":
            measured = "".join(p.read_text("utf-8") for p in ROOT.glob("tests/benchmarks/b*.py"))
            assert all(f'"{word}' in measured for word in words[3:])
        elif name.startswith("-m repairstudy.") or name.startswith("-m tests."):
            module = name.removeprefix("-m ").replace(".", "/")
            assert any((ROOT / f / f"{module}.py").exists() for f in ("workflow", ".")), name
        elif name == "-m pip" or words[0] in OTHERS:
            pass
        elif name.startswith("python "):
            check_paths(words[1:2])
        elif name == "snakemake":
            PARSER.parse_args(words[1:])
        else:
            assert Path(sys.executable).with_name(name).exists(), f"no program {name}"


def check_make(words):
    targets = [word for word in words if "=" not in word]
    done = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert targets
    for word in words:
        if word.startswith("CONFIG="):
            check_paths([word.removeprefix("CONFIG=")])
        if word.startswith("NAME=") and not word.isupper():
            figure = word.removeprefix("NAME=")
            measured = [p.read_text("utf-8") for p in ROOT.glob("tests/benchmarks/bench_*.py")]
            assert any(figure in source for source in measured), figure


def check_options(command, words):
    parameters = typer.main.get_command(app).commands[command].params
    known = {option for parameter in parameters for option in parameter.opts}
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert given <= known, given - known
    check_paths(word for word in words if word.endswith(".yaml"))


def check_paths(words):
    for word in words:
        path = word.partition("::")[0]
        if "/" in path and not path.startswith("-"):
            assert mine(path) or list(ROOT.glob(path)), f"no {path}"


def mine(path):
    """Whether it is of the reader's making, as the page says."""
    return path.startswith(("config/studies/mine", "config/plans/mine")) or any(
        block.file == path for block in BLOCKS
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """The repository's files, a study "mine", an outcome table and the results of nobody."""
    folder = project_at(tmp_path_factory.mktemp("documented"))
    for kind in ("studies", "plans"):
        text = (ROOT / f"config/{kind}/tiny.yaml").read_text("utf-8")
        text = text.replace("study: tiny", "study: mine").replace("plans/tiny", "plans/mine")
        (folder / f"config/{kind}/mine.yaml").write_text(text, "utf-8")
    (folder / "FILE").write_text("failure_id,t,candidate_id,executor,replicate,outcome\n", "utf-8")
    return folder


@pytest.mark.parametrize("options", STUDIES, ids=lambda options: " ".join(options) or "default")
def test_snakemake_finds_the_targets(options, workspace):
    command = [Path(sys.executable).with_name("snakemake"), *sorted(STUDIES[options]), *options]
    if "--workflow-profile" not in options:
        command += ["--cores", "1"]
    done = subprocess.run(
        [*command, "--dry-run", "--quiet"], cwd=workspace, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
