"""Failed runs that were made elsewhere: one format, readers of others, and a checked replay.

`run` and `jsonl` are the format, JSON Lines with one run a line. `openai`, `inspect_log`,
`agenttraj` and `exported` read what others write, as `logged` runs: texts and calls, no actions
yet. `replaying` does a logged run again in the environment, where its texts become actions and
its observations are compared; `tables` makes of it what a collected run is.
"""

from repairstudy.imported.jsonl import Line, read_runs, write_runs
from repairstudy.imported.run import Run

__all__ = ["Line", "Run", "read_runs", "write_runs"]
