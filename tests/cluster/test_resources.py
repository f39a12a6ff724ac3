"""What jobs ask for: GPUs by model, memory by attempt; and how a node with GPUs runs them."""

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from repairstudy.config import parse_study
from repairstudy.config.devices import gpus_of
from repairstudy.errors import ConfigError

ROOT = Path(__file__).parents[2]
PROFILES = ROOT / "workflow/profiles"
_spec = importlib.util.spec_from_file_location("studies", ROOT / "tests/workflow/conftest.py")
studies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(studies)


def configuration(name, **models):
    """A shipped study; fields of some of its models changed."""
    content = yaml.safe_load((ROOT / f"config/studies/{name}.yaml").read_text("utf-8"))
    for model, fields in models.items():
        content["models"][model.replace("_", "-")] |= fields
    return content


def rules_of(content, elsewhere):
    """The functions that the rules of a study take their resources from."""
    source = (ROOT / "workflow/rules/common.smk").read_text("utf-8")
    workflow = SimpleNamespace(
        configfiles=[],
        config_settings=SimpleNamespace(config={}),
        non_local_exec_or_dryrun=elsewhere,
        is_main_process=False,
    )
    names = {"config": content, "workflow": workflow}
    exec(compile(source, "common.smk", "exec"), names)
    return SimpleNamespace(**names)


@pytest.fixture
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_each_model_job_asks_for_the_gpus_of_its_own_model(in_root):
    rules = rules_of(
        configuration("webshop_llama", qwen14b={"arguments": ["--tensor-parallel-size", "2"]}), True
    )
    asked = {name: rules.model_gpus(SimpleNamespace(model=name)) for name in rules.STUDY.models}
    assert asked == {"qwen7b": 1, "llama8b": 1, "qwen14b": 2, "qwen-flash": 0}
    assert rules.model_gpus(SimpleNamespace(executor="llama8b-react")) == 1
    assert rules.model_gpus(SimpleNamespace(proposer="qwen14b")) == 2
    assert rules.model_gpus(SimpleNamespace()) == 0  # the judge, behind an endpoint


def test_memory_grows_with_each_attempt_and_is_less_where_no_server_is_started(in_root):
    rules = rules_of(configuration("webshop_llama"), True)
    served, hosted = SimpleNamespace(model="qwen7b"), SimpleNamespace(model="qwen-flash")
    assert [rules.model_mem_mb(served, attempt) for attempt in (1, 2)] == [32_000, 64_000]
    assert [rules.model_mem_mb(hosted, attempt) for attempt in (1, 2)] == [8_000, 16_000]


def test_a_model_that_may_run_on_either_claims_a_gpu_where_jobs_go_elsewhere(in_root):
    content = configuration("webshop_llama", qwen7b={"device": "auto"}, llama8b={"device": "cpu"})
    cluster, here = rules_of(content, True), rules_of(content, False)
    here.may_run_on_gpu.__globals__["gpu_here"] = lambda: False
    assert cluster.model_gpus(SimpleNamespace(model="qwen7b")) == 1
    assert here.model_gpus(SimpleNamespace(model="qwen7b")) == 0
    assert cluster.model_gpus(SimpleNamespace(model="llama8b")) == 0
    assert here.model_gpus(SimpleNamespace(model="qwen14b")) == 1  # device: gpu


@pytest.mark.parametrize(
    ("arguments", "gpus"),
    [
        ([], 1),
        (["--dtype", "bfloat16", "--tensor-parallel-size=4"], 4),
        (["-tp", "2", "--pipeline-parallel-size", "3", "-dp", "2"], 12),
    ],
)
def test_ranks_of_a_server_take_a_gpu_each(in_root, arguments, gpus):
    study = parse_study(configuration("webshop_llama", qwen7b={"arguments": arguments}), "x")
    assert gpus_of("qwen7b", study.models["qwen7b"]) == gpus


def test_a_number_of_ranks_that_is_none_is_named(in_root):
    content = configuration("webshop_llama", qwen7b={"arguments": ["-tp", "all"]})
    with pytest.raises(ConfigError, match=r"models\.qwen7b\.arguments: .*-tp.*'all'"):
        gpus_of("qwen7b", parse_study(content, "x").models["qwen7b"])


def test_profiles_name_only_rules_that_exist():
    """Snakemake passes over resources for a rule that it does not know."""
    source = "".join(path.read_text("utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    known = set(re.findall(r"^rule (\w+):", source, re.MULTILINE))
    for profile in PROFILES.glob("*/config.yaml"):
        named = yaml.safe_load(profile.read_text("utf-8")).get("set-resources", {})
        assert set(named) <= known, profile


class OnGpuNode(studies.Workspace):
    """A study under the profile of a GPU node with some (pretended) GPUs."""

    gpus = 1

    def command(self, *arguments, configfile="config/studies/tiny.yaml"):
        profile = ("--workflow-profile", "workflow/profiles/gpu", "--resources", f"gpu={self.gpus}")
        return [*super().command(*arguments, configfile=configfile), *profile]


def spans(workspace):
    """When each model's job began and ended, in seconds of this machine's clock."""
    found = []
    for log in sorted(workspace.path("results/tiny/logs/action_distributions").glob("*.log")):
        seconds = re.search(r"done in ([\d.]+) s", log.read_text("utf-8"))
        end = log.stat().st_mtime
        found.append((end - float(seconds.group(1)), end))
    return found


@pytest.mark.workflow
@pytest.mark.parametrize(("gpus", "each", "together"), [(2, 1, True), (3, 2, False)])
def test_jobs_of_different_models_run_side_by_side_as_far_as_gpus_suffice(
    tmp_path, monkeypatch, gpus, each, together
):
    """The simulated models answer after two seconds, so that jobs that may overlap do."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(gpus))))
    workspace = OnGpuNode(tmp_path / "project")
    workspace.gpus = gpus
    slow = {"parameters": {"tau": 0.8, "latency_s": 2.0}}
    content = configuration("tiny", blind=slow, careful=slow)
    workspace.path("config/studies/slow.yaml").write_text(yaml.safe_dump(content), "utf-8")
    targets = [f"results/tiny/policies/{name}.parquet" for name in ("blind", "careful")]
    workspace.run(
        *targets,
        "--set-resources",
        f"action_distributions:gpu={each}",
        configfile="config/studies/slow.yaml",
    )
    (_, first_end), (second_start, _) = sorted(spans(workspace))
    assert (second_start < first_end) == together
