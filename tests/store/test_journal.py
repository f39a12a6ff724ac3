"""A journal is added to, by many at once, and notices any edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.errors import DataError
from repairstudy.store.journal import add_document, read_documents


def test_what_is_added_is_read_and_the_same_is_one_document(tmp_path: Path) -> None:
    assert read_documents(tmp_path / "none") == []
    first = add_document(tmp_path, {"b": [1, 2], "a": "ü"})
    assert add_document(tmp_path, {"a": "ü", "b": [1, 2]}) == first
    add_document(tmp_path, {"a": 2})
    assert sorted(map(str, read_documents(tmp_path))) == ["{'a': 'ü', 'b': [1, 2]}", "{'a': 2}"]
    assert len(list(tmp_path.iterdir())) == 2


@given(st.integers(0, 30), st.characters(codec="ascii"))
def test_every_edit_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, place: int, letter: str
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    path = add_document(folder, {"registration": "0123456789abcdef", "at": "2026"})
    text = path.read_text()
    edited = text[:place] + letter + text[place + 1 :]
    path.write_text(edited, newline="")
    if edited == text:
        assert read_documents(folder)
    else:
        with pytest.raises(DataError, match=f"{path.name}: the record was edited or damaged"):
            read_documents(folder)
