"""A job of its own that fills a cache, on a machine with too little room if so told.

Usage: FOLDER [LARGEST_FILE_BYTES]
"""

import resource
import signal
import sys

from fault_runs import REPLICATES
from rollout_toys import HashEngine, actor, run, wanted

from repairstudy.errors import StudyError
from repairstudy.rollouts import Limits, RolloutCache


def main(folder, largest=None):
    if largest is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(largest), resource.RLIM_INFINITY))
    # Slow enough to be hit on a busy machine: a third of a second in all.
    acting = actor(HashEngine(delay_s=lambda call: 0.01), mode="text")
    cache = RolloutCache(folder)
    print("ready", flush=True)
    try:
        run(
            wanted(REPLICATES, acting),
            cache,
            acting,
            limits=Limits(max_in_flight=4),
            writer=cache.writer(flush_rows=3, flush_s=0.02),
        )
    except StudyError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
