"""Studies whose jobs go to a SLURM cluster of this machine (`slurm_cluster`)."""

import importlib.util
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("studies", ROOT / "tests/workflow/conftest.py")
studies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(studies)

# What this cluster adds to the profile: quick polls, no wait for a network disk.
HERE = ("--slurm-init-seconds-before-status-checks", "3", "--latency-wait", "10", "--jobs", "4")
WAIT_S = 420.0


class OnSlurm(studies.Workspace):
    """A study whose jobs go to the cluster; at the end of a `with` none of its runs goes on."""

    def __init__(self, folder, *asked):
        super().__init__(folder)
        self.asked = asked  # further arguments of every run
        self.runs = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self.runs:
            studies.kill(process)

    def start(self, *arguments, **options):
        self.runs.append(super().start(*arguments, **options))
        return self.runs[-1]

    def command(self, *arguments, configfile="config/studies/tiny.yaml"):
        profile = ("--workflow-profile", "workflow/profiles/slurm", *HERE)
        program, *rest = super().command(configfile=configfile)
        rest = rest[: rest.index("--cores")]
        return [program, *arguments, *rest, *profile, *self.asked]


def jobs_of(cluster, rule, state=None):
    found = [job for job in cluster.jobs() if job["Comment"].startswith(f"rule_{rule}")]
    return [job for job in found if state in (None, job["JobState"])]


def wait_for(process, look, what):
    """What `look` finds, as soon as it finds something, while the study runs."""
    deadline = time.monotonic() + WAIT_S
    while not (found := look()):
        assert process.poll() is None, f"the study ended before {what}:\n{process.stdout.read()}"
        assert time.monotonic() < deadline, f"no {what}"
        time.sleep(0.3)
    return found


def wait_for_job(cluster, process, rule, state="RUNNING"):
    return wait_for(process, lambda: jobs_of(cluster, rule, state), f"{rule} {state}")[0]
