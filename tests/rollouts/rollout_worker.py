"""A job of its own: runs what a cache lacks of a work list. Usage: FOLDER REPLICATES DELAY_S"""

import sys

from rollout_toys import HashEngine, actor, run, wanted

from repairstudy.rollouts import Limits, RolloutCache


def main(folder: str, replicates: str, delay_s: str) -> None:
    cache = RolloutCache(folder)
    acting = actor(HashEngine(delay_s=lambda call: float(delay_s)))
    rows = wanted(int(replicates))
    print("ready", flush=True)
    run(
        rows,
        cache,
        acting,
        limits=Limits(max_in_flight=4),
        writer=cache.writer(flush_rows=5, flush_s=0.05),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
