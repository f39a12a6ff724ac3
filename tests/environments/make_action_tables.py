"""Ask real language models for their action distributions once, for tests/environments.

    .venv/bin/python tests/environments/make_action_tables.py ask
    .venv-vllm/bin/python tests/environments/make_action_tables.py answer

`ask` (pipeline environment) lists every observation of the default gridworld in
tests/data/gridworld_logprobs.json; `answer` (vLLM environment) adds the natural-log
probabilities of " up", " down", " left", " right" after each model's memoryless prompt. Needed
again whenever the gridworld, a prompt or the weights change; the tests say when.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests/data/gridworld_logprobs.json"
MODELS = {
    "policy-strong": "policy.txt",
    "policy-weak": "policy.txt",
    "smollm2-135m-instruct": "ego.txt",
}
MOVES = ("up", "down", "left", "right")
BATCH = 32


def prompt_of(model: str) -> str:
    """The prompt template, without the newline that ends its file."""
    path = ROOT / "resources/prompts" / MODELS[model]
    return path.read_text(encoding="utf-8").removesuffix("\n")


def fingerprint(model: str) -> dict[str, str]:
    """What a model's answers depend on, as far as it is here: SmolLM2's weights are fetched."""
    found = {"prompt": hashlib.sha256(prompt_of(model).encode()).hexdigest()}
    weights = ROOT / "resources/models" / model / "model.safetensors"
    if weights.exists():
        found["weights"] = hashlib.sha256(weights.read_bytes()).hexdigest()
    return found


def ask() -> None:
    from repairstudy.environments.exact import distinct_situations
    from repairstudy.environments.gridworld import Gridworld

    world = Gridworld()
    observations = [observation for observation, _ in distinct_situations(world, world.tasks())]
    write({"version": world.version, "observations": observations, "models": {}})


def answer() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    for model in MODELS:
        if table["models"].get(model, {}).items() >= fingerprint(model).items():
            continue  # asked already
        rows = logprobs(model, table["observations"])
        table["models"][model] = {**fingerprint(model), "logprobs": rows}
        write(table)


def logprobs(model: str, observations: list[str]) -> list[list[float]]:
    """(observations, 4) log-probabilities of the moves as the next token, to 6 decimals."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    folder, template = ROOT / "resources/models" / model, prompt_of(model)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    moves = [tokenizer.encode(f" {move}", add_special_tokens=False)[0] for move in MOVES]
    prompts = [
        tokenizer.encode(template.replace("{observation}", text), add_special_tokens=False)
        for text in observations
    ]
    shared = shared_length(prompts)  # the rules and examples, read once a batch
    rows: list[list[float]] = []
    for first in range(0, len(prompts), BATCH):
        own = [prompt[shared:] for prompt in prompts[first : first + BATCH]]
        longest = max(map(len, own))
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in own])
        with torch.no_grad():  # padding comes after the token that counts and cannot reach it
            cache = network.model(torch.tensor([prompts[0][:shared]])).past_key_values
            cache.batch_repeat_interleave(len(own))
            states = network.model(padded, past_key_values=cache).last_hidden_state
            last = states[torch.arange(len(own)), torch.tensor([len(row) - 1 for row in own])]
            chosen = network.lm_head(last).log_softmax(-1)[:, moves]
        rows += [[round(value, 6) for value in row] for row in chosen.tolist()]
        print(f"{model}: {len(rows)} of {len(observations)}", file=sys.stderr, flush=True)
    return rows


def shared_length(prompts: list[list[int]]) -> int:
    """How many tokens all prompts begin with; at least one is left to each."""
    columns = zip(*(prompt[:-1] for prompt in prompts), strict=False)
    return next(
        (n for n, column in enumerate(columns) if len(set(column)) > 1), len(prompts[0]) - 1
    )


def write(table: dict[str, Any]) -> None:
    text = json.dumps(table).replace("], [", "],\n[").replace('", "', '",\n"')
    TABLE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"ask": ask, "answer": answer}[sys.argv[1]]()
