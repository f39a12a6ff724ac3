"""The studies for GPUs as they are, but with small models and very few rollouts.

In ALFWorld a shipped policy LM acts, as free text; SmolLM2 proposes, judges and acts where prompts
are longer than a policy LM reads. What is shown is that the prompts, protocols,
chats, parsing and rules of these studies run to a report with real language models behind a real
server; the results of models as small as these mean nothing.
"""

import importlib.util
import os
from pathlib import Path

import duckdb
import pytest
import yaml

ROOT = Path(__file__).parents[2]
SMOLLM2 = "resources/models/smollm2-135m-instruct"
WORLDS = {
    "webshop": {"data": "resources/webshop/synthetic", "max_goals_per_product": 1},
    "alfworld": {"games": "resources/alfworld/generated", "splits": ["valid_unseen"], "limit": 6},
}
# It reads prompts of 512 words; WebShop's pages and a growing transcript are longer.
POLICY = "resources/models/alfworld-strong"
BUDGET, ANSWER = 7, 16

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.engine,
    pytest.mark.skipif(
        not os.environ.get("REPAIRSTUDY_SLOW"),
        reason="some minutes each on two cores: set REPAIRSTUDY_SLOW=1",
    ),
]


def swapped(path):
    """A GPU study with its models swapped for SmolLM2 on the CPU, and made tiny."""
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    world = study["environment"]["name"]
    study["environment"] |= {"budget": BUDGET, "options": WORLDS[world]}
    chat = study["models"]["llama8b" if "llama" in path.stem else "qwen7b"]["chat"]
    study["models"] = {
        "policy": {"kind": "vllm", "path": POLICY, "max_model_len": 512, "chat": chat},
        "smollm2": {"kind": "vllm", "path": SMOLLM2, "revision": "Q4_1", "chat": "chatml"}
        | {"max_model_len": 4096, "concurrency": 16},
    }
    for number, executor in enumerate(study["executors"].values()):
        long = world == "webshop" or executor["protocol"] == "react/1"
        executor["model"] = "smollm2" if long else "policy"
        executor["decoding"]["temperature"] += number / 100  # one model, yet different executors
    for proposer in study["candidates"]["proposers"].values():
        proposer["model"] = "smollm2"
    for user in (*study["executors"].values(), *study["candidates"]["proposers"].values()):
        user["decoding"] |= {"max_tokens": ANSWER}
    study["evaluators"] |= {"greedy": 1, "low_temperature": 1}
    study["evaluators"]["judge"] |= {"model": "smollm2", "max_tokens": ANSWER}
    for evaluator in study["evaluators"]["executors"].values():
        evaluator |= {"rollouts": 1, "equal_budget": None, "positions": "primary"}
    study["pools"] = {name: pool | {"size": 2} for name, pool in study["pools"].items()}
    study["pools"] = {name: pool for name, pool in study["pools"].items() if "screen" not in pool}
    study["positions"]["per_failure"] = 1
    study["candidates"] |= {"proposals": 1, "all_admissible": False}
    study["rollouts"] |= {"label": 6, "control": 0, "fresh": 1, "max_in_flight": 16}
    study["plan"] = "config/plans/swapped.yaml"
    plan = yaml.safe_load((ROOT / f"config/plans/{study['study']}.yaml").read_text("utf-8"))
    plan["families"] = plan["families"][:1]
    plan["families"][0]["evaluators"] = ["greedy", "planner", "own_1"]
    plan["decisions"] = {}
    return study, plan


@pytest.mark.parametrize("name", ["webshop_llama", "alfworld_qwen"])
def test_a_published_setup_runs_to_its_report(make_workspace, name):
    if name.startswith("alfworld") and importlib.util.find_spec("textworld") is None:
        pytest.skip("make alfworld has not been run")
    workspace = make_workspace(name)
    study, plan = swapped(ROOT / f"config/studies/{name}.yaml")
    for file, content in ((f"studies/{name}", study), ("plans/swapped", plan)):
        workspace.path(f"config/{file}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (workspace.folder / ".venv-vllm").symlink_to(ROOT / ".venv-vllm")
    workspace.run(configfile=f"config/studies/{name}.yaml")
    with duckdb.connect(workspace.path(f"results/{name}/study.duckdb"), read_only=True) as con:
        rollouts = con.sql("SELECT role, status, tokens_in, tokens_out FROM rollouts").pl()
        steps = con.sql("SELECT action, valid FROM steps").pl()
    assert rollouts.filter(role="label", status="infrastructure_error").is_empty()
    assert rollouts["tokens_in"].min() > 0
    assert rollouts["tokens_out"].max() > 1
    assert steps.height >= 2
    assert workspace.path(f"results/{name}/report.html").exists()
