"""Train a WebShop policy language model on lessons; runs where torch and transformers are.

    .venv-vllm/bin/python workflow/scripts/training/train_webshop_policy.py --lessons FILE \
        --seed 1 --steps 1500 --out resources/models/webshop-strong

Lessons are of webshop_lessons.py: prompts of protocol webshop-descriptor/1, in which the
observation is encoded. The checkpoint is made as that of train_policy.py, over the protocol's
vocabulary; its weights are kept as float16 to be small, and are served as float32. For a seed the
training repeats exactly on one kind of processor and version of torch.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from train_policy import CHAT_TEMPLATE, SPECIAL, Lessons, make_model, note, save, train
from transformers import PreTrainedTokenizerFast


def make_tokenizer(words: list[str]) -> PreTrainedTokenizerFast:
    """One token a word; a descriptor is the same token with and without a space before it."""
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
        eos_token="</s>", chat_template=CHAT_TEMPLATE, model_max_length=128,
    )  # fmt: skip


def encode(tokenizer: PreTrainedTokenizerFast, lessons: list[dict[str, Any]]) -> Lessons:
    """Padded prompts, and as target all of the probability on the teacher's descriptor."""
    rows = [tokenizer.encode(row["prompt"], add_special_tokens=False) for row in lessons]
    longest = max(map(len, rows))
    target = torch.zeros(len(rows), len(tokenizer))
    wanted = tokenizer.convert_tokens_to_ids([row["choice"] for row in lessons])
    target[torch.arange(len(rows)), torch.tensor(wanted)] = 1.0
    padded = [row + [0] * (longest - len(row)) for row in rows]
    return Lessons(torch.tensor(padded), torch.tensor([len(row) - 1 for row in rows]), target)


def check_tokenizer(folder: Path, words: list[str]) -> None:
    """The saved tokenizer must read each word of the protocol as one known token."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    read = [tokenizer.encode(f" {word}", add_special_tokens=False) for word in words]
    known = [[token] for token in tokenizer.convert_tokens_to_ids(words)]
    if read != known or [tokenizer.unk_token_id] in read:
        raise SystemExit("train_webshop_policy: a word of the protocol is not one token")


def train_webshop_policy(lessons: Path, out: Path, seed: int, steps: int) -> None:
    """Train, save and check a checkpoint, and note beside it how it was made."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    given = json.loads(lessons.read_text(encoding="utf-8"))
    tokenizer = make_tokenizer(given["vocabulary"])
    model = make_model(len(tokenizer))
    loss = train(model, encode(tokenizer, given["lessons"]), steps, seed)
    save(out, model.half(), tokenizer)
    check_tokenizer(out, given["vocabulary"])
    made = {key: given[key] for key in ("protocol", "prompt", "teacher", "products")}
    made |= {"lessons": len(given["lessons"]), "loss": loss, "seed": seed, "steps": steps}
    note(out, model, lessons, made)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lessons", type=Path, required=True, help="of webshop_lessons.py")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    train_webshop_policy(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
