"""Whole studies in a workspace of their own: the repository's files, results elsewhere."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINKED = ("Snakefile", "workflow", "resources", "notebooks", "profiles")


def kill(process):
    """End a study that `Workspace.start` began, with all that it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


class Workspace:
    """A folder where `snakemake` finds the project and writes its results."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)
        subprocess.run(["cp", "-r", ROOT / "config", folder / "config"], check=True)

    def command(self, *arguments, configfile="config/studies/tiny.yaml", quiet=True):
        program = Path(sys.executable).with_name("snakemake")
        quietly = ["--quiet", "rules"] if quiet else []
        return [program, *quietly, "--configfile", configfile, "--cores", "2", *arguments]

    def start(self, *arguments, **options):
        """The study in a session of its own, so that all of it can be killed at once."""
        return subprocess.Popen(
            self.command(*arguments, **options),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"HOME": str(self.folder)},
            start_new_session=True,
        )

    def run(self, *arguments, expect=0, **options):
        """Run to the end; the output."""
        process = self.start(*arguments, **options)
        try:
            output, _ = process.communicate(timeout=600)
        finally:
            kill(process)
        assert process.returncode == expect or (expect and process.returncode), output[-6000:]
        return output

    def path(self, relative):
        return self.folder / relative


@pytest.fixture(scope="session")
def make_workspace(tmp_path_factory):
    return lambda name: Workspace(tmp_path_factory.mktemp(name) / "project")


@pytest.fixture(scope="session")
def tiny(make_workspace):
    """The miniature study, run once for all tests that only look at it."""
    workspace = make_workspace("tiny")
    workspace.run()
    return workspace
