"""Stands in for the program of `kind: transformers`, which may die, hang or talk nonsense.

Usage: FOLDER THREADS. FOLDER holds `plan`, lines of FAULT AT: the n-th process started goes wrong
in the n-th line's way when it reads its AT-th question; `starts` counts the processes. It answers
as `rollout_toys.HashEngine` does, whose import would make it slow to start.
"""

import hashlib
import json
import math
import os
import resource
import signal
import sys
import time
from pathlib import Path


def score(prompt, choices):
    weights = [1 + _hash(prompt, choice) % 9 for choice in choices]
    total = sum(weights) + 1
    return [math.log(w / total) for w in weights], len(prompt.split())


def _hash(*parts):
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16)


def go_wrong(fault, number):
    if fault in ("SIGSEGV", "SIGKILL"):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), getattr(signal, fault))
    if fault == "hang":
        time.sleep(600)
    if fault == "garble":
        print("what?", flush=True)
    if fault == "half":
        print(f"[{number}, [-0.", end="", flush=True)
    sys.exit(f"fault: {fault}")


def main(folder):
    starts, plan = Path(folder, "starts"), Path(folder, "plan").read_text().splitlines()
    with starts.open("a") as file:
        file.write("started\n")
    turn = len(starts.read_text().splitlines()) - 1
    fault, at = plan[turn].split() if turn < len(plan) else ("none", "0")
    if fault == "unloadable":
        sys.exit("fault: no such file")
    print('"ready"', flush=True)
    for asked, line in enumerate(sys.stdin, 1):
        number, prompt, choices = json.loads(line)
        if asked == int(at):
            go_wrong(fault, number)
        print(json.dumps([number, *score(prompt, choices)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
