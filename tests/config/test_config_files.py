"""What a configuration names must be there before the first job runs."""

from pathlib import Path

import pytest

from repairstudy.config import parse_study, read_yaml
from repairstudy.config.files import require_named
from repairstudy.errors import ConfigError

ROOT = Path(__file__).parents[2]
TINY = "config/studies/tiny.yaml"


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("path", sorted(Path(ROOT, "config/studies").glob("*.yaml")))
def test_every_shipped_study_names_what_is_there(path):
    require_named(parse_study(read_yaml(path), path), path)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("plan", "config/plans/tinyy.yaml",
         "plan: there is no file 'config/plans/tinyy.yaml'; did you mean 'config/plans/tiny"),
        ("evaluators.judge.prompt", "resources/prompts/juge.txt",
         "evaluators.judge.prompt: there is no file 'resources/prompts/juge.txt'; did you mean"),
        ("executors.blind.prompt", "nowhere/policy.txt",
         "executors.blind.prompt: there is no file 'nowhere/policy.txt'"),
        ("candidates.proposers.blind.prompt", "resources/prompts",
         "candidates.proposers.blind.prompt: there is no file 'resources/prompts'"),
        ("environment.name", "gridwold",
         "environment.name: no environment 'gridwold'; did you mean 'gridworld'? (installed: "),
        ("executors.blind.protocol", "ego", "executors.blind.protocol: no protocol 'ego'; did you"),
        ("candidates.proposers.blind.protocol", "reakt/1",
         "candidates.proposers.blind.protocol: no protocol 'reakt/1'; did you mean 'react/1'?"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named_with_file_and_key(path, value, said):
    content = read_yaml(TINY)
    *parents, last = path.split(".")
    section = content
    for key in parents:
        section = section[key]
    section[last] = value
    with pytest.raises(ConfigError) as raised:
        require_named(parse_study(content, TINY), TINY)
    assert str(raised.value).startswith(f"{TINY}: {said}")


def test_all_that_is_wrong_is_told_at_once():
    content = read_yaml(TINY)
    content["plan"] = "no.yaml"
    content["environment"]["name"] = "nothing"
    with pytest.raises(ConfigError) as raised:
        require_named(parse_study(content, TINY), TINY)
    assert len(str(raised.value).splitlines()) == 2


def test_of_several_unknown_keys_the_first_lists_the_known_ones():
    content = read_yaml(TINY) | {"sed": 1, "modls": {}}
    content["environment"]["budgt"] = 3
    with pytest.raises(ConfigError) as raised:
        parse_study(content, TINY)
    unknown = [line for line in str(raised.value).splitlines() if "unknown key" in line]
    assert ["(accepted: " in line for line in unknown] == [True, True, False]
    assert unknown[-1] == f"{TINY}: modls: unknown key; did you mean 'models'?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n\tb: 2\n", "line 2, column 1: found character '\\t' that cannot start any token; "
         "indent with spaces, not with tabs"),
        ("a: {b: 1\n", "line 2, column 1: expected ',' or '}'"),
        ("", "holds no mapping of keys to values"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told_with_the_line(tmp_path, text, said):
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        read_yaml(tmp_path / "mine.yaml")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
