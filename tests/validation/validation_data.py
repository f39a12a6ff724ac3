"""What the tests of the validation share."""

import json
from functools import cache
from pathlib import Path

STORED = Path(__file__).parents[1] / "data/gridworld_logprobs.json"


@cache
def stored():
    return json.loads(STORED.read_text(encoding="utf-8"))
