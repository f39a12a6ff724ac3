"""Workers crash, hang and grow; requests are answered all the same, and none is left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from alfworld_worlds import HERE, alive, settings, wait_until, write_game

from repairstudy.environments.alfworld.position import from_list
from repairstudy.environments.alfworld.workers import WorkerLost, WorkerPool
from repairstudy.errors import ConfigError, ReplayMismatch


@pytest.fixture
def pool_of():
    """Makes pools, and closes them."""
    pools = []

    def make(*arguments, **changes):
        pools.append(WorkerPool(settings(*arguments, **changes)))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture(scope="module")
def pool():
    """Two workers for all tests that need no special ones."""
    shared = WorkerPool(settings())
    yield shared
    shared.close()


class Player:
    """Plays a game through a pool, remembering the way as an environment does."""

    def __init__(self, pool, game, seconds=20.0):
        self.pool, self.game, self.seconds = pool, str(game), seconds
        reply = pool.ask({"do": "open", "game": self.game}, seconds)
        self.task, self.at, self.path = reply["task"], from_list(reply["position"]), []

    def request(self, do, **more):
        where = {"signature": self.at.signature, "path": self.path}
        return self.pool.ask({"do": do, "game": self.game, **where, **more}, self.seconds)

    def step(self, action):
        self.at = from_list(self.request("step", action=action)["position"])
        self.path = [*self.path, action]
        return self.at


def test_plays_a_game(pool, tmp_path):
    player = Player(pool, write_game(tmp_path, "a", length=2, task="walk."))
    assert player.task == "walk."
    assert player.at.admissible == ("right", "wait", "crash", "hang", "grow", "raise")
    assert player.step("right").observation == "You stand in room 1."
    assert player.request("plan", seconds=1.0)["plan"] == ["right"]
    assert player.request("describe")["text"].startswith("room 1 of 2")
    assert player.step("right").won
    assert not player.step("up").valid


@pytest.mark.parametrize("engine", ["Engine", "Forgetful"])
def test_many_episodes_share_a_worker_whether_it_remembers_their_states_or_not(
    engine, pool_of, tmp_path
):
    pool = pool_of(engine, size=1)
    game = write_game(tmp_path, "a", length=9)
    players = [Player(pool, game) for _ in range(5)]
    for round_ in range(1, 4):
        for number, player in enumerate(players):
            player.step("right" if number % 2 else "wait")
            assert player.at.observation == f"You stand in room {round_ if number % 2 else 0}."


def test_a_worker_holds_some_games_open_and_comes_back_to_others(pool_of, tmp_path):
    pool = pool_of(size=1, open_games=2)
    games = [write_game(tmp_path, name, length=9) for name in "abc"]
    players = [Player(pool, game) for game in games]
    for round_ in (1, 2):
        for player in players:
            assert player.step("right").observation == f"You stand in room {round_}."


def test_a_crashed_workers_request_goes_to_another(pool, tmp_path):
    lost = pool.counts().lost
    player = Player(pool, write_game(tmp_path, "a"))
    player.step("right")
    assert not player.step(f"crash once {tmp_path / 'crashed'}").valid
    player.path.pop()
    assert player.step("right").observation == "You stand in room 2."
    assert pool.counts().lost == lost + 1


def test_a_request_that_kills_every_worker_is_given_up_and_the_pool_goes_on(pool_of, tmp_path):
    pool = pool_of(retries=1)
    player = Player(pool, write_game(tmp_path, "a"))
    with pytest.raises(WorkerLost, match=r"2 workers died of it \(killed by SIGSEGV"):
        player.step("crash")
    assert player.step("right").observation == "You stand in room 1."
    assert pool.counts().lost == 2


def test_an_engine_error_counts_as_a_crash_since_its_state_is_unknown(pool_of, tmp_path):
    pool = pool_of(retries=0)
    player = Player(pool, write_game(tmp_path, "a"))
    with pytest.raises(WorkerLost, match="KeyError: 'lost'"):
        player.step("raise")
    assert player.step("right").valid


def test_a_hung_worker_is_killed(pool_of, tmp_path):
    pool = pool_of(size=1, retries=0)
    player = Player(pool, write_game(tmp_path, "a"))
    (hung,) = pool.pids()
    player.seconds = 0.3
    with pytest.raises(WorkerLost, match=r"no answer within 0\.3 s"):
        player.step("hang")
    assert not alive(hung)
    player.seconds = 20.0
    assert player.step("right").valid


def test_killed_workers_are_replaced_and_nothing_is_lost(pool, tmp_path):
    player = Player(pool, write_game(tmp_path, "a", length=50))
    for round_ in range(1, 4):
        for pid in pool.pids():
            os.kill(pid, signal.SIGKILL)
        assert player.step("right").observation == f"You stand in room {round_}."


def test_a_worker_is_recycled_by_memory(pool_of, tmp_path):
    pool = pool_of(size=1, memory_per_worker=120 << 20)
    player = Player(pool, write_game(tmp_path, "a"))
    for _ in range(4):
        player.step("grow")
    counts = pool.counts()
    assert counts.recycled >= 1
    assert counts.lost == 0


def test_a_worker_is_recycled_by_the_number_of_games(pool_of, tmp_path):
    pool = pool_of(size=1, games_per_worker=2)
    for name in "abcd":
        Player(pool, write_game(tmp_path, name))
    assert pool.counts().recycled == 2


def test_64_threads_are_served_at_once(pool, tmp_path):
    pool.prewarm()
    before = pool.counts()
    games = [write_game(tmp_path, f"game-{number}", length=20) for number in range(8)]

    def episode(number):
        player = Player(pool, games[number % 8])
        return [player.step("right").observation for _ in range(8)]

    with ThreadPoolExecutor(64) as threads:
        shown = list(threads.map(episode, range(64)))
    assert shown == [[f"You stand in room {room}." for room in range(1, 9)]] * 64
    assert pool.counts() == before


def test_a_thread_that_ends_does_not_take_along_the_workers_it_asked_for(pool_of):
    pool = pool_of(size=1)
    thread = threading.Thread(target=pool.prewarm)
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert [alive(pid) for pid in pool.pids()] == [True]


def test_a_state_that_replay_does_not_lead_to_is_a_mismatch(pool_of, tmp_path):
    pool = pool_of("Drifting", size=1)
    player = Player(pool, write_game(tmp_path, "a"))
    player.step("right")
    os.kill(*pool.pids(), signal.SIGKILL)
    with pytest.raises(ReplayMismatch, match="1 actions from the start lead to state"):
        player.step("right")


def test_an_engine_that_refuses_to_start_says_why(pool_of, tmp_path):
    pool = pool_of("Refusing")
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"textworld 9\.9 is installed"):
            Player(pool, write_game(tmp_path, "a"))


def test_workers_that_cannot_start_are_given_up(pool_of, tmp_path):
    with pytest.raises(WorkerLost, match="no worker starts: killed by SIGSEGV"):
        pool_of("Crashing").prewarm()


def test_a_machine_without_room_for_a_process_is_an_infrastructure_error(
    pool_of, tmp_path, monkeypatch
):
    def no_room(*arguments, **options):
        raise OSError("Cannot allocate memory")

    monkeypatch.setattr(subprocess, "Popen", no_room)
    with pytest.raises(WorkerLost, match="no worker starts: Cannot allocate memory"):
        Player(pool_of(), write_game(tmp_path, "a"))


def test_a_closed_pool_answers_no_more(pool_of, tmp_path):
    pool = pool_of()
    Player(pool, write_game(tmp_path, "a"))
    pool.prewarm()
    pids = pool.pids()
    pool.close()
    assert not any(alive(pid) for pid in pids)
    with pytest.raises(WorkerLost, match="closed"):
        Player(pool, write_game(tmp_path, "a"))


OWNER = """
    import sys, threading
    from alfworld_worlds import settings, write_game
    from repairstudy.environments.alfworld.workers import WorkerPool
    pool = WorkerPool(settings())
    pool.prewarm()
    game = str(write_game(sys.argv[1], "a"))
    start = pool.ask({"do": "open", "game": game}, 20)["position"][2]
    hang = {"do": "step", "game": game, "signature": start, "path": [], "action": "hang"}
    threading.Thread(target=pool.ask, args=(hang, 1000), daemon=True).start()
    print(*pool.pids(), flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, None])
def test_no_worker_is_left_behind_idle_or_busy(how, tmp_path):
    """None: the owner ends by itself, with a worker hanging."""
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(OWNER), str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    with owner:
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(pids) == 2
        assert all(alive(pid) for pid in pids)
        if how is not None:
            owner.send_signal(how)
        owner.stdin.close()
        owner.wait(timeout=10)
    assert wait_until(lambda: not any(alive(pid) for pid in pids))
