"""Jobs cut off by their time limits, on a real SLURM with accounting, which `sacct` is asked about.

Opt-in, since it takes twelve minutes, most of them waiting: REPAIRSTUDY_SLURM=1, as root, with
Debian's packages of SLURM, slurmdbd and MariaDB (see `slurm_cluster`).
"""

import os

import polars as pl
import pytest
import yaml
from slurm_cluster import SlurmCluster, why_not
from slurm_runs import OnSlurm, jobs_of, studies

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        not os.environ.get("REPAIRSTUDY_SLURM"),
        reason="minutes on a cluster that it starts: set REPAIRSTUDY_SLURM=1",
    ),
]

ROLLOUTS = "results/tiny/work/main/rollouts.parquet"
SLOW = "config/studies/slow.yaml"
LATENCY_S = 1.2  # of an answer
# Minutes: the least that SLURM knows, and one more with each attempt.
ASKED = ("--set-resources", "run_rollouts:runtime=attempt")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    reason = why_not(accounting=True)
    if reason:
        pytest.skip(reason)
    with SlurmCluster(tmp_path_factory.mktemp("slurm"), accounting=True) as running:
        yield running


def with_a_slow_model(workspace):
    """The miniature study; the rollouts of one of its models take more than two minutes."""
    path = workspace.path("config/studies/tiny.yaml")
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["models"]["careful"]["parameters"]["latency_s"] = LATENCY_S
    content["executors"]["careful"]["decoding"] |= {"mode": "text", "max_tokens": 2}
    workspace.path(SLOW).write_text(yaml.safe_dump(content), encoding="utf-8")
    return workspace


def test_a_job_that_hits_its_time_limit_goes_on_in_the_next_one(cluster, tmp_path):
    local = with_a_slow_model(studies.Workspace(tmp_path / "local"))
    local.run(ROLLOUTS, configfile=SLOW)
    with with_a_slow_model(OnSlurm(tmp_path / "project", *ASKED)) as study:
        study.run(ROLLOUTS, configfile=SLOW)
        found = pl.read_parquet(study.path(ROLLOUTS))
    assert found.equals(pl.read_parquet(local.path(ROLLOUTS)))

    cut, *_, last = jobs_of(cluster, "run_rollouts_wildcards_main_careful")
    assert (cut["JobState"], cut["TimeLimit"]) == ("TIMEOUT", "00:01:00")
    assert (last["JobState"], last["TimeLimit"]) == ("COMPLETED", "00:02:00")
    states = cluster.ask("sacct", "-X", "-n", "--parsable2", "--format=JobID,State").split()
    assert f"{cut['JobId']}|TIMEOUT" in states
    assert f"{last['JobId']}|COMPLETED" in states
    resumed = sorted(study.path("results/tiny/logs/run_rollouts").glob("main.careful*"))
    assert any("are cached" in path.read_text(encoding="utf-8") for path in resumed)
