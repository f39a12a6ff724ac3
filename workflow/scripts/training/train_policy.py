"""Train a small policy language model on planner lessons; runs where torch and transformers are.

    .venv-vllm/bin/python workflow/scripts/training/train_policy.py --lessons FILE \
        --prompt resources/prompts/policy.txt --seed 1 --steps 100 \
        --out resources/models/policy-strong

The result is a Llama checkpoint with a word-level tokenizer of its own. It knows nothing but
this prompt: a policy language model, never an instruct model. For a seed the training repeats
exactly on one kind of processor and version of torch (one thread, deterministic kernels).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

MOVES = ("up", "down", "left", "right")
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
LEARNING_RATE, WARM_UP, BATCH = 3e-3, 50, 128


@dataclass(frozen=True, slots=True)
class Lessons:
    """N prompts of at most L tokens, padded at the end, and what the planner would do.

    Attributes:
        tokens: (N, L) token ids.
        last: (N,) place of the last token of each prompt.
        target: (N, V) probabilities of the next token: even over the planner's moves.
    """

    tokens: torch.Tensor
    last: torch.Tensor
    target: torch.Tensor


def read_lessons(path: Path, template: str) -> tuple[list[str], list[list[str]]]:
    """Prompts and the planner's moves."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [template.replace("{observation}", row["observation"]) for row in rows]
    return texts, [row["moves"] for row in rows]


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """One token a word; a move is the same token with and without a space before it."""
    words = sorted({word for text in texts for word in text.split()} | set(MOVES))
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
        eos_token="</s>", chat_template=CHAT_TEMPLATE, model_max_length=128,
    )  # fmt: skip


def make_model(vocabulary: int) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=64, intermediate_size=192, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4,
        head_dim=32,  # set explicitly: vLLM on a CPU refuses the 16 that would follow
        max_position_embeddings=128, tie_word_embeddings=False, pad_token_id=0, bos_token_id=2,
        eos_token_id=3,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def encode(tokenizer: PreTrainedTokenizerFast, texts: list[str], moves: list[list[str]]) -> Lessons:
    rows = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    longest = max(map(len, rows))
    target = torch.zeros(len(rows), len(tokenizer))
    for number, wanted in enumerate(moves):
        target[number, tokenizer.convert_tokens_to_ids(wanted)] = 1.0 / len(wanted)
    padded = [row + [0] * (longest - len(row)) for row in rows]
    return Lessons(torch.tensor(padded), torch.tensor([len(row) - 1 for row in rows]), target)


def train(model: LlamaForCausalLM, lessons: Lessons, steps: int, seed: int) -> float:
    """Fit the next token after each prompt; the loss of the last tenth of the steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP, (steps - step) / max(steps - WARM_UP, 1))
    )
    picks = torch.Generator().manual_seed(seed)
    losses: list[float] = []
    for _ in range(steps):
        rows = torch.randint(len(lessons.last), (BATCH,), generator=picks)
        states = model.model(lessons.tokens[rows]).last_hidden_state
        logits = model.lm_head(states[torch.arange(BATCH), lessons.last[rows]])
        loss = torch.nn.functional.cross_entropy(logits, lessons.target[rows])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    recent = losses[-max(1, steps // 10) :]
    return sum(recent) / len(recent)


def save(folder: Path, model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    """A checkpoint that vLLM serves as it is; an older one at `folder` is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for file in folder.iterdir():
        file.chmod(0o644)  # safetensors are written for the owner alone


def note(out: Path, model: LlamaForCausalLM, lessons: Path, made: dict[str, Any]) -> None:
    """Write beside a checkpoint how it was made."""
    made = {
        **made,
        "lessons_sha256": hashlib.sha256(lessons.read_bytes()).hexdigest(),
        "loss": round(made["loss"], 4),
        "parameters": model.num_parameters(),
        "torch": torch.__version__,
    }
    text = json.dumps(made, indent=2, sort_keys=True)
    (out / "training.json").write_text(text + "\n", encoding="utf-8")
    print(f"{Path(sys.argv[0]).stem}: {out}: {json.dumps(made)}")


def check_tokenizer(folder: Path, prompt: str) -> None:
    """The saved tokenizer must read a move after the prompt as one known token."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    before = tokenizer.encode(prompt, add_special_tokens=False)
    for move in MOVES:
        known = tokenizer.convert_tokens_to_ids(move)
        after = tokenizer.encode(f"{prompt} {move}", add_special_tokens=False)
        if known == tokenizer.unk_token_id or after != [*before, known]:
            raise SystemExit(f"train_policy: '{move}' is not one token after the prompt: {after}")


def train_policy(lessons: Path, prompt: Path, out: Path, seed: int, steps: int) -> None:
    """Train, save and check a checkpoint, and note beside it how it was made."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(seed)
    template = prompt.read_text(encoding="utf-8").removesuffix("\n")
    texts, moves = read_lessons(lessons, template)
    tokenizer = make_tokenizer(texts)
    model = make_model(len(tokenizer))
    loss = train(model, encode(tokenizer, texts, moves), steps, seed)
    save(out, model, tokenizer)
    check_tokenizer(out, texts[0])
    made = {"prompt": template, "lessons": len(texts), "loss": loss, "seed": seed, "steps": steps}
    note(out, model, lessons, made)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lessons", type=Path, required=True, help="of write_planner_lessons.py")
    parser.add_argument("--prompt", type=Path, required=True, help="template with {observation}")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    train_policy(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
