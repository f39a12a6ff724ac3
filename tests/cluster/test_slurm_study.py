"""The miniature study on a real SLURM, disturbed in every way a cluster disturbs a run.

Opt-in, since it takes a quarter of an hour on two cores: REPAIRSTUDY_SLURM=1, as root, with
Debian's packages of SLURM (see `slurm_cluster`). Two nodes and two pretended GPUs; no job needs a
model.
"""

import os
import time

import polars as pl
import pytest
from slurm_cluster import NODES, SlurmCluster, why_not
from slurm_runs import OnSlurm, jobs_of, studies, wait_for_job

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        not os.environ.get("REPAIRSTUDY_SLURM"),
        reason="a quarter of an hour on a cluster that it starts: set REPAIRSTUDY_SLURM=1",
    ),
]

DATABASE = "results/tiny/study.duckdb"
# The simulated models need no GPU and no step lacks memory: make some jobs ask as real ones do.
ASKED = (
    *("--slurm-status-command", "squeue"),  # there is no accounting
    "--set-resources",
    "run_rollouts:gpu=1",
    "select_repairs:mem_mb=250 if attempt == 1 else 4000",
)


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


@pytest.fixture
def study(cluster, tmp_path):
    with OnSlurm(tmp_path / "project", *ASKED) as workspace:
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
    assert (starved["TimeLimit"], fed["TimeLimit"]) == ("01:00:00", "02:00:00")
    assert fed["JobState"] == "COMPLETED"
    for job in jobs_of(cluster, "run_rollouts"):
        assert job["TresPerJob"] == "gres:gpu:1"
        assert (job["Partition"], job["TimeLimit"]) == ("gpu", "08:00:00")
    for job in jobs_of(cluster, "make_pools"):
        assert "TresPerJob" not in job
        assert (job["Partition"], job["TimeLimit"]) == ("cpu", "01:00:00")
    assert not jobs_of(cluster, "freeze_plan")  # a second on the submitting machine
