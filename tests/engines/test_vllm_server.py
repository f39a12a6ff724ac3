"""A server of our own: started, believed only when it answers, and never left behind.

A small program stands in for vLLM; ``test_vllm_itself.py`` has the real one.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from engine_processes import lives, pids_in, wait_until

from repairstudy.engines.process import ServerProcess
from repairstudy.engines.vllm import VllmServer
from repairstudy.engines.vllm_command import VllmSettings, arguments, environment, module_program
from repairstudy.errors import ConfigError, EngineError

STUB = Path(__file__).with_name("stub_server.py")


def settings(**changes):
    return VllmSettings(python=sys.executable, model="m", served_name="small", **changes)


def server(tmp_path, mode, *more, **changes):
    program = (sys.executable, str(STUB), mode, *more)
    return VllmServer(settings(**changes), tmp_path / "server.log", program=program)


@pytest.mark.parametrize("mode", ["good", "slow"])
def test_it_answers_while_it_is_open_and_is_gone_after(tmp_path, mode):
    pids = tmp_path / "pids"

    async def go():
        async with server(tmp_path, mode, "--pids", str(pids)) as running:
            scores = await running.engine.score("Go", [" up", " down"])
            assert all(lives(pid) for pid in pids_in(pids))
            return scores, running.url

    scores, url = asyncio.run(go())
    assert len(scores.logprobs) == 2
    assert url.startswith("http://127.0.0.1:")
    assert not any(lives(pid) for pid in pids_in(pids))
    assert "stub: mode" in (tmp_path / "server.log").read_text()


def test_a_server_that_ends_is_reported_with_its_log(tmp_path):
    with pytest.raises(
        EngineError, match=r"(?s)exit code 1; end of .*server\.log:\n.*out of memory"
    ):
        asyncio.run(server(tmp_path, "crash").start())


def test_old_output_in_the_log_is_kept_and_not_shown(tmp_path):
    (tmp_path / "server.log").write_text("an earlier run\n")
    with pytest.raises(EngineError) as error:
        asyncio.run(server(tmp_path, "crash").start())
    assert "an earlier run" not in str(error.value)
    assert "an earlier run" in (tmp_path / "server.log").read_text()


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("hang", "did not answer within 4 s .*accepted a request and did not answer"),
        ("foreign", "did not answer within 4 s .*401"),
        ("refuse", "refuses a first request .*status 400: prompt cannot be empty"),
    ],
)
def test_a_server_that_never_answers_is_ended(tmp_path, mode, problem):
    pids = tmp_path / "pids"
    with pytest.raises(EngineError, match=f"(?s){problem}.*stub: mode {mode}"):
        asyncio.run(server(tmp_path, mode, "--pids", str(pids), start_timeout=4.0).start())
    assert not any(lives(pid) for pid in pids_in(pids))


async def ask_until_it_fails(engine):
    while True:
        await engine.score("Go", [" up"])


def test_a_server_that_has_died_says_so(tmp_path):
    pids = tmp_path / "pids"

    async def go():
        async with server(tmp_path, "good", "--pids", str(pids)) as running:
            assert running.failure() is None
            os.kill(pids_in(pids)[0], signal.SIGKILL)
            with pytest.raises(EngineError, match="connection failed"):
                await ask_until_it_fails(running.engine)
            wait_until(lambda: running.failure() is not None)
            return running.failure()

    assert "exit code" in asyncio.run(go())


def test_children_that_ignore_sigterm_end_too(tmp_path):
    pids = tmp_path / "pids"
    process = ServerProcess(
        [sys.executable, str(STUB), "children", "--pids", str(pids), "--port", "0"],
        {"VLLM_API_KEY": "k"},
        tmp_path / "log",
        grace=0.3,
    )
    assert len(pids_in(pids)) == 2
    process.stop()
    assert not any(lives(pid) for pid in pids_in(pids))


OWNER = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from test_vllm_server import server
from pathlib import Path

async def go():
    async with server(Path({folder!r}), "children", "--pids", {pids!r}, grace=0.3):
        print("ready", flush=True)
        await asyncio.sleep(60)

asyncio.run(go())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_orphans_when_the_owner_is_killed(tmp_path, number):
    pids = tmp_path / "pids"
    code = OWNER.format(tests=str(STUB.parent), folder=str(tmp_path), pids=str(pids))
    owner = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert owner.stdout.readline() == b"ready\n"
    owner.send_signal(number)
    owner.wait()
    owner.stdout.close()
    server_pid, child = pids_in(pids)
    wait_until(lambda: not lives(server_pid) and not lives(child))


def test_the_server_dies_with_its_supervisor(tmp_path):
    pids = tmp_path / "pids"
    process = ServerProcess(
        [sys.executable, str(STUB), "good", "--pids", str(pids), "--port", "0"],
        {"VLLM_API_KEY": "k"},
        tmp_path / "log",
    )
    (pid,) = pids_in(pids)
    process._supervisor.kill()
    wait_until(lambda: not lives(pid))
    process.stop()


def test_the_command_line_on_a_cpu():
    command = arguments(settings(device="cpu", arguments=("--dtype", "bfloat16")), 1234)
    text = " ".join(command)
    assert "--port 1234" in text
    assert "--no-enable-chunked-prefill --max-num-batched-tokens 8192" in text
    assert "--block-size 32" in text
    assert "--generation-config vllm" in text
    assert command.index("float32") < command.index("bfloat16")  # the user's come last and win
    variables = environment(settings(device="cpu", threads=1))
    first_core = min(os.sched_getaffinity(0))
    assert variables["VLLM_CPU_OMP_THREADS_BIND"] == str(first_core)


def test_the_command_line_on_a_gpu_leaves_precision_and_batching_to_vllm():
    text = " ".join(arguments(settings(device="gpu"), 1))
    assert "float32" not in text
    assert "chunked" not in text
    assert "--generation-config vllm" in text
    assert "VLLM_CPU_KVCACHE_SPACE" not in environment(settings(device="gpu"))


def test_each_of_several_servers_gets_gpus_of_its_own(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6,7")
    two = settings(device="gpu", servers=2, gpus=2)
    found = [environment(two, index)["CUDA_VISIBLE_DEVICES"] for index in (0, 1)]
    assert found == ["4,5", "6,7"]
    assert "--tensor-parallel-size 2" in " ".join(arguments(two, 1))
    assert environment(settings(device="gpu", servers=4), 3)["CUDA_VISIBLE_DEVICES"] == "7"
    assert "CUDA_VISIBLE_DEVICES" not in environment(settings(device="gpu"))
    with pytest.raises(ConfigError, match=r"2 with 3 GPUs each need 6, but this job sees 4"):
        environment(settings(device="gpu", servers=2, gpus=3))


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="has an AMD GPU")
def test_a_gpu_that_is_not_there_is_told_before_a_server_starts(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(ConfigError, match="device: gpu, but this job sees none"):
        module_program(settings(device="gpu"))
    assert module_program(settings(device="cpu"))[0] == sys.executable


def test_several_servers_on_a_cpu_share_its_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    both = settings(device="cpu", servers=2, threads=2)
    found = [environment(both, index)["VLLM_CPU_OMP_THREADS_BIND"] for index in (0, 1)]
    assert found == ["0,1", "2,3"]
