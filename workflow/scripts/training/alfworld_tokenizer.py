"""The tokenizer of the ALFWorld policy LMs: one token a word, without what says nothing.

It reads the very text that a protocol makes and drops, before splitting it into words: articles
and punctuation; the list of receptacles in the first observation (the list of actions has them
all); sentences that repeat the action before them; and from the list of actions "go to", "look",
"inventory" and "close ...". Prompts become three times shorter, so training does too.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
VERBS = [
    "go",
    "take",
    "move",
    "put",
    "open",
    "close",
    "examine",
    "use",
    "heat",
    "clean",
    "cool",
    "slice",
    "look",
    "inventory",
]
JOINTS = ["to", "from", "with", "into"]
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
LONGEST_PROMPT = 512  # tokens

DROPPED = (
    r"-= welcome to textworld, alfred! =-",
    r"looking quickly around you, you see [^\n]*(\s+your task is to: [^\n]*)?",
    r"your task is to:",
    r"you arrive at [^.\n]*\.",
    r"you (pick up|move|put|open|close|clean|heat|cool) [^.\n]*\.",
    r"you are in the middle of a",
    r"(?<=\n)go to ",  # a line of the list of actions; in the history it follows a ">"
    r"(?<=\n)(look|inventory|close [^\n]*)(?=\n)",
    r"[.,:;!]",
    r"\b(you|see|the|an?|is|it|and|in|on|some)\b",
)


def _bare_tokenizer(words: Iterable[str]) -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Lowercase()]
        + [normalizers.Replace(Regex(pattern), " ") for pattern in DROPPED]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def split_words(texts: Iterable[str]) -> set[str]:
    """The words that remain of texts."""
    bare = _bare_tokenizer(())
    assert bare.normalizer is not None
    assert bare.pre_tokenizer is not None
    return {
        word
        for text in texts
        for word, _ in bare.pre_tokenizer.pre_tokenize_str(bare.normalizer.normalize_str(text))
    }


def make_tokenizer(words: Iterable[str], texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer that knows the given words, all verbs, and what remains of the texts."""
    known = {*words, *VERBS, *JOINTS} | split_words(texts)
    return PreTrainedTokenizerFast(
        tokenizer_object=_bare_tokenizer(sorted(known)), pad_token="<pad>", unk_token="<unk>",
        bos_token="<s>", eos_token="</s>", chat_template=CHAT_TEMPLATE,
        model_max_length=LONGEST_PROMPT,
    )  # fmt: skip
