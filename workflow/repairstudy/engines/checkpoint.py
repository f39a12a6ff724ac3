"""What tells the weights of one checkpoint from those of another."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from repairstudy.errors import DataError
from repairstudy.records import digest

_PARTS = ("config.json", "*token*.json", "vocab*", "merges.txt", "*.safetensors")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def checkpoint_fingerprint(path: str | Path) -> str:
    """A hash of everything in a checkpoint that decides what the model answers.

    These are the configuration (without the version of the library that wrote it), the tokenizer
    and the weights. A name on the hub that is no local folder stands for itself: there the
    revision tells the weights apart.

    Raises:
        DataError: the checkpoint is missing or incomplete; says how to make it.
    """
    folder = Path(path)
    if _HUB_NAME.fullmatch(str(path)) and not folder.parent.exists():
        return f"hub:{path}"
    files = sorted({file for pattern in _PARTS for file in folder.glob(pattern)})
    names = {file.name for file in files}
    if "config.json" not in names or not any(n.endswith(".safetensors") for n in names):
        what = "holds no complete checkpoint." if folder.is_dir() else "is no folder."
        raise DataError(folder, what, _remedy(folder))
    return digest({file.name: _content(file) for file in files})


def _content(file: Path) -> str:
    if file.name == "config.json":
        config = json.loads(file.read_text(encoding="utf-8"))
        config.pop("transformers_version", None)
        return digest(config)
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _remedy(folder: Path) -> str:
    """How the checkpoints that this project makes itself are made."""
    if folder.name.startswith("smollm2"):
        script = f"prepare_smollm2.py --output {folder}"
    elif folder.name.startswith("policy"):
        script = "training/train_policy.py"
    else:
        return "Is models.NAME.path right?"
    return f"Make it with: .venv-vllm/bin/python workflow/scripts/{script}"
