"""The miniature study on a real SLURM, disturbed in every way a cluster disturbs a run.

Opt-in, since it takes a quarter of an hour on two cores: REPAIRSTUDY_SLURM=1, as root, with
Debian's packages of SLURM (see `slurm_cluster`). Two nodes and two pretended GPUs; no job needs a
model.
"""

import importlib.util
import os
import time
from pathlib import Path

import polars as pl
import pytest
from slurm_cluster import NODES, SlurmCluster, why_not

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("studies", ROOT / "tests/workflow/conftest.py")
studies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(studies)

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        not os.environ.get("REPAIRSTUDY_SLURM"),
        reason="a quarter of an hour on a cluster that it starts: set REPAIRSTUDY_SLURM=1",
    ),
]

DATABASE = "results/tiny/study.duckdb"
# What this cluster adds to the profile: no accounting, quick polls, no wait for a network disk.
HERE = (
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3"),
    *("--latency-wait", "10", "--jobs", "4"),
)
# The simulated models need no GPU and no step lacks memory: make some jobs ask as real ones do.
ASKED = (
    "--set-resources",
    "run_rollouts:gpu=1",
    "select_repairs:mem_mb=250 if attempt == 1 else 4000",
)
WAIT_S = 420.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with SlurmCluster(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The results of the same study on this machine alone."""
    workspace = studies.Workspace(tmp_path_factory.mktemp("local") / "project")
    workspace.run(DATABASE)
    return pl.read_parquet(workspace.path("results/tiny/results.parquet"))


class OnSlurm(studies.Workspace):
    """A study whose jobs go to the cluster; at the end of a `with` none of its runs goes on."""

    def __init__(self, folder):
        super().__init__(folder)
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
        return [program, *arguments, *rest, *profile, *ASKED]


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


@pytest.fixture
def study(cluster, tmp_path):
    with OnSlurm(tmp_path / "project") as workspace:
        yield workspace


def test_a_disturbed_study_on_slurm_ends_like_a_local_one(cluster, undisturbed, study):
    process = study.start(DATABASE)

    # A user cancels a job.
    victim = wait_for_job(cluster, process, "run_rollouts_wildcards_screen")
    cluster.ask("scancel", victim["JobId"])

    # The only node with GPUs is drained: jobs that need one wait, the others go elsewhere.
    wait_for_job(cluster, process, "plan_rollouts")
    cluster.set_node(NODES[0], "drain")
    waiting = wait_for_job(cluster, process, "run_rollouts_wildcards_main", "PENDING")
    assert waiting["Partition"] == "gpu"
    time.sleep(3)
    assert not jobs_of(cluster, "run_rollouts_wildcards_main", "RUNNING")
    cluster.set_node(NODES[0], "resume")

    # The submitting process is killed while its jobs run, and started again beside them.
    wait_for_job(cluster, process, "run_rollouts_wildcards_main")
    studies.kill(process)
    process = study.start(DATABASE)

    # A node goes down under a job, and comes back.
    struck = wait_for_job(cluster, process, "compute_statistics")
    cluster.set_node(struck["NodeList"], "down")
    time.sleep(3)
    cluster.set_node(struck["NodeList"], "resume")

    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output[-6000:]
    found = pl.read_parquet(study.path("results/tiny/results.parquet"))
    assert found.equals(undisturbed)

    # What SLURM itself says of the jobs.
    by_id = {job["JobId"]: job for job in cluster.jobs()}
    assert by_id[victim["JobId"]]["JobState"] == "CANCELLED"
    assert by_id[struck["JobId"]]["Restarts"] == "1"
    assert by_id[struck["JobId"]]["JobState"] == "COMPLETED"
    starved, *_, fed = sorted(jobs_of(cluster, "select_repairs"), key=lambda j: int(j["JobId"]))
    assert starved["JobState"] in ("FAILED", "OUT_OF_MEMORY")
    assert (starved["MinMemoryNode"], fed["MinMemoryNode"]) == ("250M", "4000M")
    assert fed["JobState"] == "COMPLETED"
    for job in jobs_of(cluster, "run_rollouts"):
        assert job["TresPerJob"] == "gres:gpu:1"
        assert (job["Partition"], job["TimeLimit"]) == ("gpu", "08:00:00")
    for job in jobs_of(cluster, "make_pools"):
        assert "TresPerJob" not in job
        assert (job["Partition"], job["TimeLimit"]) == ("cpu", "01:00:00")
    assert not jobs_of(cluster, "freeze_plan")  # a second on the submitting machine
