"""Stands in for vLLM's server program: started by the tests as `python stub_server.py MODE ...`.

Modes: good; slow (answers only after a while); crash; hang (lists its model, never completes);
refuse (answers that the request is wrong);
foreign (wants another key); children (good, with a child that ignores SIGTERM).
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from engine_fakes import FakeServer, Reply

CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mode")
    parser.add_argument("--pids", type=Path)
    parser.add_argument("--port", type=int)
    parser.add_argument("--served-model-name")
    arguments, _ = parser.parse_known_args()
    mode = arguments.mode
    print(f"stub: mode {mode}", flush=True)
    if mode == "crash":
        sys.exit("stub: out of memory")
    if mode == "slow":
        time.sleep(0.5)
    pids = [os.getpid()]
    if mode == "children":
        pids.append(subprocess.Popen([sys.executable, "-S", "-c", CHILD]).pid)
    if arguments.pids:
        arguments.pids.write_text(" ".join(map(str, pids)))
    key = "another" if mode == "foreign" else os.environ["VLLM_API_KEY"]
    server = FakeServer((arguments.served_model_name,), key=key, port=arguments.port)
    if mode == "hang":
        server.replies = [Reply(wait_s=60)] * 100
    if mode == "refuse":
        server.replies = [Reply(status=400, body=b'{"error": "prompt cannot be empty"}')] * 100
    server.serve_forever()


if __name__ == "__main__":
    main()
