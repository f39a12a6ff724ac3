"""Faults of model servers: the rollouts come out the same, or one error says what to do."""

import email.utils
import threading
import time

import fault_server as faults
import pytest
from fault_runs import ask_servers, finished, served
from fault_server import FaultServer, every, status

from repairstudy.engines import connection
from repairstudy.engines.process import free_port
from repairstudy.errors import ConfigError, EngineError, WrongModel
from repairstudy.rollouts import Limits, RolloutCache

QUICK = Limits(max_in_flight=8, retries=0, retry_wait_s=0.0, give_up_after=5)


def same(undisturbed, folder, script, **options):
    """Run against a server with that script; it went wrong at times, and nothing shows."""
    went_wrong = []

    def counting(number):
        fault = script(number)
        went_wrong.extend([number] if fault else [])
        return fault

    with FaultServer(counting, **options.pop("server", {})) as server:
        assert served(folder, server, **options).equals(undisturbed)
    assert len(went_wrong) >= 3


def test_server_errors(undisturbed, tmp_path):
    codes = (500, 502, 504, 408, 409, 425)
    script = lambda number: status(codes[number % len(codes)]) if number % 3 == 0 else None  # noqa: E731
    same(undisturbed, tmp_path, script)


def test_too_many_requests(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(5, status(429)))


def test_too_many_requests_with_seconds_to_wait(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(40, status(429, "Retry-After: 0.1")))


def test_too_many_requests_with_a_date_to_wait_for(undisturbed, tmp_path):
    def date(turn):
        moment = email.utils.formatdate(time.time() + 1, usegmt=True)
        return status(429, f"Retry-After: {moment}")(turn)

    script = lambda number: date if number in (5, 6, 7) else None  # noqa: E731
    same(undisturbed, tmp_path, script)


def test_a_full_queue(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, status(503)))


def test_a_pause_longer_than_patience_is_one_error(undisturbed, tmp_path):
    cache = RolloutCache(tmp_path)
    script = lambda number: status(429, "Retry-After: 7200") if number > 40 else None  # noqa: E731
    with FaultServer(script) as server, pytest.raises(EngineError, match="asks to wait 7200 s"):
        ask_servers(cache, server, limits=QUICK)
    go_on_undisturbed(cache, undisturbed)


def go_on_undisturbed(cache, undisturbed, least=1):
    """What had finished is kept, and the same run goes on from there."""
    kept = cache.read()
    assert sum(kept["status"] != "infrastructure_error") >= least
    assert kept.filter(kept["status"] == "infrastructure_error")["success"].null_count() == sum(
        kept["status"] == "infrastructure_error"
    )
    with FaultServer() as server:
        ask_servers(cache, server)
    assert finished(cache).equals(undisturbed)


def test_a_connection_reset_before_the_answer(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.reset_before_an_answer))


def test_a_connection_reset_in_mid_body(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.reset_in_mid_body))


def test_a_connection_closed_in_mid_body(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.close_in_mid_body))


def test_truncated_json(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.truncated_json))


def test_json_of_another_shape(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.json_of_another_shape))


def test_an_empty_answer(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.nothing_generated))


def test_a_web_page_of_a_proxy(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.web_page))


def test_bytes_that_are_no_http(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(4, faults.no_http_at_all))


def test_a_huge_body(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(40, faults.huge_body), timeout=5.0)


def test_silence_of_a_server_that_seems_healthy(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(40, faults.silence))


def test_silence_within_an_answer(undisturbed, tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "SILENCE_S", 0.2)
    same(undisturbed, tmp_path, every(40, faults.silence_in_mid_body), timeout=60.0)


def test_an_answer_that_drips(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(40, faults.slow_drip))


@pytest.mark.parametrize("ids", [None, "echo", "own"])
def test_an_answer_that_comes_twice(undisturbed, tmp_path, ids):
    same(undisturbed, tmp_path, every(4, faults.said_twice), server={"ids": ids})


def test_the_answer_to_another_request(undisturbed, tmp_path):
    script = every(4, faults.answer_of_another)
    same(undisturbed, tmp_path, script, server={"ids": "echo"})


def test_answers_out_of_order(undisturbed, tmp_path):
    same(undisturbed, tmp_path, every(1, faults.late(5)))


def test_a_server_that_is_not_there_yet(undisturbed, tmp_path):
    late = FaultServer(port=free_port())
    threading.Timer(0.3, late.__enter__).start()
    assert served(tmp_path, late).equals(undisturbed)
    late.stop()


def test_a_server_that_never_comes_is_one_error(undisturbed, tmp_path):
    cache = RolloutCache(tmp_path)
    with pytest.raises(EngineError, match=r"gave up after 5 .*connection failed"):
        ask_servers(cache, FaultServer(port=free_port()), limits=QUICK, patience=0.3)
    go_on_undisturbed(cache, undisturbed, least=0)


def stopping(server, at):
    """A script: the server ends at that completion."""

    def script(number):
        if number >= at:
            threading.Thread(target=server[0].stop).start()
            return faults.silence
        return None

    return script


def test_a_server_that_dies_and_comes_back(undisturbed, tmp_path):
    server = []
    server.append(FaultServer(stopping(server, 60)))

    def revive():
        server[0]._thread.join()
        time.sleep(0.2)
        server.append(FaultServer(port=server[0].port).__enter__())

    with server[0]:
        reviver = threading.Thread(target=revive)
        reviver.start()
        assert served(tmp_path, server[0]).equals(undisturbed)
        reviver.join()
        server[1].stop()


def test_a_server_that_dies_for_good_is_one_error(undisturbed, tmp_path):
    server, cache = [], RolloutCache(tmp_path)
    server.append(FaultServer(stopping(server, 100)))
    with server[0], pytest.raises(EngineError, match=r"gave up after 5 .*connection failed"):
        ask_servers(cache, server[0], limits=QUICK, patience=0.2)
    go_on_undisturbed(cache, undisturbed)


def test_one_of_two_servers_dies_for_good(undisturbed, tmp_path):
    mortal = []
    mortal.append(FaultServer(stopping(mortal, 30)))
    with FaultServer() as steady, mortal[0]:
        assert served(tmp_path, mortal[0], steady).equals(undisturbed)
        assert steady.completions > 60


@pytest.mark.parametrize(
    "change",
    [
        {"models": ("large",)},
        {"card": {"root": "/models/other"}},
        {"signed": {"system_fingerprint": "fp_2"}},
    ],
)
def test_another_model_after_a_restart_is_one_error(undisturbed, tmp_path, change):
    server, cache = [], RolloutCache(tmp_path)
    server.append(FaultServer(stopping(server, 60)))

    def replace():
        server[0]._thread.join()
        new = FaultServer(port=server[0].port)
        for name, value in change.items():
            setattr(new, name, value)
        server.append(new.__enter__())

    with server[0]:
        replacer = threading.Thread(target=replace)
        replacer.start()
        with pytest.raises(WrongModel):
            ask_servers(cache, server[0], limits=Limits(max_in_flight=8, give_up_after=5))
        replacer.join()
        server[1].stop()
    assert "infrastructure_error" not in cache.read()["status"]
    go_on_undisturbed(cache, undisturbed)


def test_a_prompt_that_the_server_refuses_is_never_a_failure_of_the_agent(undisturbed, tmp_path):
    def refuse(turn):
        if "cell 2" in turn.body["prompt"]:
            return turn.say(turn.page({"error": "prompt too long"}, status=400))
        return turn.say(turn.page())

    cache = RolloutCache(tmp_path)
    with FaultServer(lambda number: refuse) as server:
        tally = ask_servers(cache, server, limits=Limits(retries=0, give_up_after=999))
    assert 0 < tally.errors < tally.done
    causes = cache.read()["cause"].drop_nulls()
    assert causes.str.contains("status 400: prompt too long").all()
    assert "status 400: prompt too long" in tally.last_error
    go_on_undisturbed(cache, undisturbed)


def test_a_key_that_is_revoked_is_one_error_that_does_not_show_it(
    undisturbed, tmp_path, monkeypatch
):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    cache = RolloutCache(tmp_path / "cache")

    def script(number):
        if number == 100:
            server.key = "sk-another"
        return

    with FaultServer(script) as server:
        server.key = "sk-secret"
        with pytest.raises(EngineError, match=r"status 401.*is the key that api_key_env") as error:
            ask_servers(cache, server, limits=QUICK, api_key_env="MY_KEY")
    go_on_undisturbed(cache, undisturbed)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "sk-secret" not in str(error.value)
    assert b"sk-secret" not in written
    assert cache.read()["cause"].str.contains("sk-secret").sum() == 0


def test_a_model_that_the_server_does_not_have_is_one_error_before_anything_is_asked(tmp_path):
    with FaultServer(models=("large", "huge")) as server:
        with pytest.raises(WrongModel, match=r"expected model 'small', .* offers 'large', 'huge'"):
            ask_servers(RolloutCache(tmp_path), server)
        assert server.completions == 0


def test_a_key_that_is_missing_is_one_error_before_anything_is_asked(tmp_path):
    with FaultServer() as server, pytest.raises(ConfigError, match="SURELY_UNSET is not set"):
        ask_servers(RolloutCache(tmp_path), server, api_key_env="SURELY_UNSET")
