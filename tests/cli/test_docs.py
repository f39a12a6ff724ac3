"""Pages that are made from the code say what the code says."""

from pathlib import Path

import pytest

from repairstudy.cli.docs import pages

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("path", "content"), pages().items(), ids=list(pages()))
def test_the_page_is_current(path, content):
    assert (ROOT / path).read_text(encoding="utf-8") == content, (
        "run `python -m repairstudy.cli.docs`"
    )
