"""A checkpoint that answers on its standard input, with plain PyTorch.

    python scorer.py FOLDER THREADS

Runs under an interpreter with transformers, which need not have this library; so it is a file of
its own. Each line read is a JSON list [number, prompt, choices], each line written [number,
log-probabilities, prompt tokens] or [number, null, what is wrong with the choices]. Questions are
answered one at a time, in float32: an answer does not depend on what else is asked.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import re
import signal
import sys
from collections.abc import Sequence
from functools import lru_cache

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

PR_SET_PDEATHSIG = 1

# What stands before a choice and could merge with it into other tokens.
_TAIL = re.compile(r"\S{0,2}\s{0,8}\Z")


class Scorer:
    """The model, and which single token stands for a choice after a prompt."""

    def __init__(self, folder: str) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True
        ).eval()
        self._longest = self._model.config.max_position_embeddings
        self._token = lru_cache(maxsize=65_536)(self._only_token)

    @torch.inference_mode()
    def score(self, prompt: str, choices: Sequence[str]) -> tuple[list[float], int]:
        """Log-probability of each choice as the next token; the prompt's tokens.

        Raises:
            ValueError: a choice is not one token there, or the prompt is too long.
        """
        tail = _TAIL.search(prompt).group()  # type: ignore[union-attr] # it may be empty
        wanted = [self._token(tail, choice) for choice in choices]
        tokens = self._tokenizer(prompt).input_ids
        if len(tokens) >= self._longest:
            raise ValueError(
                f"the prompt has {len(tokens)} tokens, the model reads {self._longest}"
            )
        logits = self._model(input_ids=torch.tensor([tokens]), logits_to_keep=1).logits[0, -1]
        return logits.log_softmax(-1)[wanted].tolist(), len(tokens)

    def _only_token(self, tail: str, choice: str) -> int:
        before, after = self._tokens(tail), self._tokens(tail + choice)
        if len(after) != len(before) + 1 or after[:-1] != before:
            raise ValueError(f"choice {choice!r} is no token of its own after {tail!r}")
        if self._tokenizer.decode(after[-1:]).strip() != choice.strip():
            raise ValueError(f"choice {choice!r} is unknown to the tokenizer")
        return after[-1]

    def _tokens(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False) if text else []


def die_with_owner() -> None:
    """Even while it computes; the end of its input would be noticed only after that (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(folder: str, threads: int) -> None:
    die_with_owner()
    torch.set_num_threads(threads)
    scorer = Scorer(folder)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        number, prompt, choices = json.loads(line)
        try:
            answer = [number, *scorer.score(prompt, choices)]
        except ValueError as error:
            answer = [number, None, str(error)]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
