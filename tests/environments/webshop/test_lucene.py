"""Search against Lucene itself, where Java and a jar that holds it are at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from webshop_shops import invented_folder

from repairstudy.environments.webshop.analysis import terms
from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.index import build_index
from repairstudy.records import generator

JAR = os.environ.get("REPAIRSTUDY_ANSERINI_JAR", "")
ORACLE = Path(__file__).with_name("LuceneOracle.java")
pytestmark = pytest.mark.skipif(
    not (Path(JAR).is_file() and shutil.which("java")),
    reason="needs java and REPAIRSTUDY_ANSERINI_JAR, the fat jar of the pyserini wheel 0.22.1",
)
ALPHABET = [
    *"aeilsty139",
    *"'’.,:;_-\" ",
    "é",
    "★",
    "©",
    "\u0301",
    "ア",
    "あ",
    "中",
    "한",
    "ש",
    "😀",
]


def odd_texts() -> list[str]:
    rng = generator("webshop lucene test")
    return ["".join(rng.choice(ALPHABET, size)) for size in rng.integers(1, 12, 4000)]


def oracle(folder: Path, documents: list[str], queries: list[str]) -> list[str]:
    for name, texts in (("documents", documents), ("queries", queries)):
        folder.joinpath(name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    command = ["java", "-cp", JAR, str(ORACLE), str(folder / "documents"), str(folder / "queries")]
    shown = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    return [line for line in shown.stdout.split("\n") if line[:1] in ("T", "H")]


def test_terms_rankings_and_scores_are_lucenes(tmp_path: Path) -> None:
    catalogue = Catalogue.open(Path(invented_folder(1000)))
    documents = [catalogue.search_text(place).replace("\n", " ") for place in range(1000)]
    documents += odd_texts()
    rng = generator("webshop lucene queries")
    queries = [" ".join(rng.choice(text.split(), 6)) for text in documents[:1000]]
    lines = oracle(tmp_path, documents, queries)
    for text, line in zip(documents, lines, strict=False):
        assert "\t".join(dict.fromkeys(terms(text))) == line[1:], repr(text)
    index = build_index([f"{number:05d}" for number in range(len(documents))], documents)
    for query, line in zip(queries, lines[len(documents) :], strict=True):
        expected = [hit.split(" ") for hit in line[1:].split("\t") if hit]
        found = index.search(query, 50)
        assert [position for position, _ in found] == [int(place) for place, _ in expected], query
        scores = np.float32([score for _, score in found])
        assert scores.tolist() == np.float32([score for _, score in expected]).tolist()
