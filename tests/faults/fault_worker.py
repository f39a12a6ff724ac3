"""A corridor in a process of its own, which may die, hang or eat memory. Usage: FAULT AT

It reads actions, answers each with the cell, and goes wrong at the step of that number.
"""

import os
import resource
import signal
import sys
import time


def go_wrong(fault):
    if fault == "segfault":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "hang":
        time.sleep(600)
    if fault == "grow":
        resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))
        eaten = []
        while True:
            eaten.append(bytearray(2**24))
    if fault == "garble":
        print("what?", flush=True)


def main(fault, at):
    cell, steps = 0, 0
    for line in sys.stdin:
        word = line.strip()
        if word.isdigit():
            cell = int(word)
        else:
            steps += 1
            if steps == at:
                go_wrong(fault)
            cell += {"left": -1, "right": 1}.get(word, 0)
        print(cell, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
