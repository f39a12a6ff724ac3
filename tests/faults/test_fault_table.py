"""The table of faults in the documentation lists exactly the tests of this folder."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = Path(__file__).parents[2] / "docs/faults.md"


def test_every_fault_has_a_row_and_every_row_a_test():
    tests = [
        name
        for path in HERE.glob("test_fault_*.py")
        if path != Path(__file__)
        for name in re.findall(
            r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    rows = re.findall(r"^\|.*\| `(test_\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(tests)
    assert len(rows) > 25
