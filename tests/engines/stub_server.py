"""Stands in for vLLM's server program: started by the tests as `python stub_server.py MODE ...`.

Modes:
    good; children (good, with a child that ignores SIGTERM);
    slow (answers only after a while);
    crash; half (crashes on GPU 5); once (crashes when it is started again);
    hang (lists its model, never completes); refuse (answers that the request is wrong);
    foreign (wants another key);
    mortal (ends itself after 20 completions);
    mute (after 20 completions it accepts everything and answers nothing);
    busy (after 20 completions each takes long, while the counters of tokens go on).
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
    if mode == "half" and os.environ["CUDA_VISIBLE_DEVICES"] == "5":
        sys.exit("stub: out of memory")
    if mode == "once" and arguments.pids.exists():
        sys.exit("stub: out of memory")
    if mode == "slow":
        time.sleep(0.5)
    pids = [os.getpid()]
    if mode == "children":
        pids.append(subprocess.Popen([sys.executable, "-S", "-c", CHILD]).pid)
    if arguments.pids:
        with arguments.pids.open("a") as file:
            file.write("".join(f"{pid} " for pid in pids))
    print(f"stub: gpus '{os.environ.get('CUDA_VISIBLE_DEVICES')}'", flush=True)
    key = "another" if mode == "foreign" else os.environ["VLLM_API_KEY"]
    server = FakeServer((arguments.served_model_name,), key=key, port=arguments.port)
    server.tokenize(" up down left right")  # the same tokens after every start
    if mode == "hang":
        server.replies, server.probes_too = [Reply(wait_s=60)] * 100, True
    if mode == "refuse":
        refusal = Reply(status=400, body=b'{"error": "prompt cannot be empty"}')
        server.replies, server.probes_too = [refusal] * 100, True
    if mode in ("mortal", "mute", "busy"):
        server.lifetime, server.afterlife = 20, mode
    server.serve_forever()


if __name__ == "__main__":
    main()
