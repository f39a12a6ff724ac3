"""Log-probabilities of continuations, with plain torch: a checkpoint answering on standard input.

    .venv-vllm/bin/python workflow/scripts/score_choices.py FOLDER

Each line read is a JSON pair [prompt, continuations]; the line written for it holds, for every
continuation, the log-probability of each of its tokens. For tools that need no server.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import torch
from train_alfworld_policy import pack
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast


def make_scorer(folder: str) -> Callable[[str, list[str]], list[list[float]]]:
    """A function of a prompt and continuations; all of them cost one pass of the model."""
    torch.set_num_threads(1)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    @torch.inference_mode()
    def score(prompt: str, continuations: list[str]) -> list[list[float]]:
        *before, last = tokenizer.encode(prompt, add_special_tokens=False)
        answers = [tokenizer.encode(text, add_special_tokens=False) for text in continuations]
        state = pack(before, [([last], answer) for answer in answers])
        branch = torch.tensor(state.branch)
        shared = (branch == 0) | (branch[:, None] == branch)
        logits = model(
            input_ids=torch.tensor([state.tokens]),
            attention_mask=shared.tril()[None, None],
            position_ids=torch.tensor([state.place]),
        ).logits[0]
        targets = torch.tensor(state.targets)
        at = (targets >= 0).nonzero()[:, 0]
        found = iter(logits[at].log_softmax(-1)[torch.arange(len(at)), targets[at]].tolist())
        return [[next(found) for _ in answer] for answer in answers]

    return score


def main() -> None:
    score = make_scorer(sys.argv[1])
    for line in sys.stdin:
        prompt, continuations = json.loads(line)
        print(json.dumps(score(prompt, continuations)), flush=True)


if __name__ == "__main__":
    main()
