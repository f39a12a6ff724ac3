"""Train a small policy language model on lessons of the explorer; runs where torch is.

    .venv-vllm/bin/python workflow/scripts/training/train_alfworld_policy.py \
        --lessons FILE --seed 11 --updates 3000 --stop 2400 --out resources/models/alfworld-weak

The result is a Llama checkpoint with a word-level tokenizer of its own, stored in half precision.
It knows nothing but this prompt: a policy language model, never an instruct model. For a seed the
training repeats exactly on one kind of processor and version of torch (one thread, deterministic
kernels, a schedule of updates and not of time).

A state's prompt ends with its task. So the tasks of a state share one prefix and are packed into
one sequence, each seeing the prefix and itself alone: the same loss at a sixth of the tokens.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from alfworld_tokenizer import LONGEST_PROMPT, make_tokenizer
from torch.nn.functional import cross_entropy
from train_policy import note, save
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LEARNING_RATE, WARM_UP, BATCH = 2e-3, 100, 4
PROMPT_WEIGHT = 0.3  # of the loss on the prompt itself: it teaches to copy names from the lists
NO_TARGET = -100


@dataclass(frozen=True, slots=True)
class State:
    """One packed sequence of L tokens.

    Attributes:
        tokens: the prefix, then task and answer of each label.
        branch: 0 in the prefix, else the number of the label.
        place: position that each token would have in its own prompt.
        targets: next token where that is a word of an answer, else NO_TARGET.
    """

    tokens: list[int]
    branch: list[int]
    place: list[int]
    targets: list[int]


def pack(before: list[int], labels: list[tuple[list[int], list[int]]]) -> State:
    """A prefix, and for every label its rest of the prompt and its answer."""
    state = State(list(before), [0] * len(before), list(range(len(before))), [])
    state.targets.extend([NO_TARGET] * len(before))
    for number, (after, answer) in enumerate(labels, start=1):
        words = [*after, *answer[:-1]]  # nothing follows the last word
        state.tokens.extend(words)
        state.branch.extend([number] * len(words))
        state.place.extend(range(len(before), len(before) + len(words)))
        state.targets.extend([NO_TARGET] * (len(after) - 1) + answer)
    return state


def read_lessons(
    path: Path, tokenizer: PreTrainedTokenizerFast | None = None
) -> tuple[dict[str, str], PreTrainedTokenizerFast, list[State]]:
    """How the lessons were made, the tokenizer (given or made for them), and the packed states."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts = {row["before"] for row in rows} | {
        t for row in rows for task in row["tasks"] for t in task
    }
    made = json.loads(first)
    words = made.pop("words")
    tokenizer = tokenizer or make_tokenizer(words, sorted(texts))
    ids: dict[str, list[int]] = {}

    def encode(text: str) -> list[int]:
        if text not in ids:
            ids[text] = tokenizer.encode(text, add_special_tokens=False)
        return ids[text]

    states = [
        pack(encode(row["before"]), [(encode(after), encode(does)) for after, does in row["tasks"]])
        for row in rows
        if row["tasks"]
    ]
    return made, tokenizer, states


def make_model(vocabulary: int, layers: int, width: int) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=width, intermediate_size=3 * width,
        num_hidden_layers=layers, num_attention_heads=width // 32,
        num_key_value_heads=width // 32,
        head_dim=32,  # the least that vLLM serves on a CPU
        max_position_embeddings=LONGEST_PROMPT, tie_word_embeddings=True, pad_token_id=0,
        bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def batches(states: list[State], picks: torch.Generator) -> Iterator[list[State]]:
    """Epoch after epoch in another order; states of similar length together, to pad little."""
    noise = 24
    while True:
        jitter = torch.randint(noise, (len(states),), generator=picks).tolist()
        order = sorted(range(len(states)), key=lambda at: len(states[at].tokens) + jitter[at])
        groups = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        for group in torch.randperm(len(groups), generator=picks).tolist():
            yield [states[at] for at in groups[group]]


def loss_of(model: LlamaForCausalLM, batch: list[State]) -> torch.Tensor:
    """Mean loss of the answers' words, and PROMPT_WEIGHT times that of the prompts' words."""
    longest = max(len(state.tokens) for state in batch)

    def padded(field: str, filler: int) -> torch.Tensor:
        rows = (getattr(state, field) for state in batch)
        return torch.tensor([row + [filler] * (longest - len(row)) for row in rows])

    tokens, branch, targets = (
        padded("tokens", 0),
        padded("branch", -1),
        padded("targets", NO_TARGET),
    )
    earlier = torch.ones(longest, longest, dtype=torch.bool).tril()
    shared = (branch[:, None, :] == 0) | (branch[:, None, :] == branch[:, :, None])
    logits = model(
        input_ids=tokens, attention_mask=(earlier & shared)[:, None],
        position_ids=padded("place", 0),
    ).logits  # fmt: skip
    following = tokens.roll(-1, dims=1)
    in_prefix = (branch == 0) & (branch.roll(-1, dims=1) == 0)
    in_prefix[:, -1] = False
    answers = cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET)
    return answers + PROMPT_WEIGHT * cross_entropy(logits[in_prefix], following[in_prefix])


def train(
    model: LlamaForCausalLM, states: list[State], updates: int, seed: int
) -> Iterator[tuple[int, float]]:
    """Fit; after each update its number and a running mean of the loss."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda done: min((done + 1) / WARM_UP, (updates - done) / max(updates - WARM_UP, 1)),
    )
    source = batches(states, torch.Generator().manual_seed(seed))
    mean = 0.0
    for number in range(1, updates + 1):
        loss = loss_of(model, next(source))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        mean += (loss.item() - mean) / min(number, 100)
        yield number, mean


def train_policy(
    lessons: Path, start: Path | None, seed: int, layers: int, width: int, updates: int,
    stop: int | None, out: Path,
) -> None:  # fmt: skip
    """Train and save a checkpoint, and note beside it how it was made."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    begun = PreTrainedTokenizerFast.from_pretrained(start) if start else None
    taught, tokenizer, states = read_lessons(lessons, begun)
    model = make_model(len(tokenizer), layers, width)
    if start:
        model = LlamaForCausalLM.from_pretrained(start, dtype=torch.float32).train()
    stop = stop or updates
    loss = 0.0
    for number, loss in islice(train(model, states, updates, seed), stop):
        if number % 100 == 0:
            print(f"train_alfworld_policy: update {number}, loss {loss:.3f}", flush=True)
    save(out, model.half(), tokenizer)
    made = {
        "batch": BATCH,
        "lessons": taught,
        "loss": loss,
        "seed": seed,
        "start": start.name if start else None,
        "states": len(states),
        "stopped_after": stop,
        "updates": updates,
    }
    note(out, model, lessons, made)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lessons", type=Path, required=True, help="of alfworld_lessons.py")
    parser.add_argument("--start", type=Path, help="checkpoint to go on from, of the same shape")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--width", type=int, default=128, help="a multiple of 32")
    parser.add_argument("--updates", type=int, required=True, help="after which the rate is zero")
    parser.add_argument("--stop", type=int, help="stop after so many updates; default: all")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    train_policy(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
