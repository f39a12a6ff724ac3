"""The markup that chat models put around a user's message and before their own answer.

It is part of the template, and so of the executor's identity: what a model is sent is what the
study records. The token that begins a text is the tokenizer's to add.
"""

from __future__ import annotations

from typing import Literal

Chat = Literal["none", "chatml", "llama3", "messages"]

_AROUND = {
    "chatml": ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    "llama3": (
        "<|start_header_id|>user<|end_header_id|>\n\n",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
}


def marked_up(template: str, chat: Chat) -> str:
    """A prompt template as the user's message of a chat; "none" and "messages" leave it bare."""
    before, after = _AROUND.get(chat, ("", ""))
    return f"{before}{template}{after}"
