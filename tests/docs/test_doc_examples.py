"""Every example of README and documentation is what it says it is.

By language: Python runs, page by page, and prints what the block after it shows; YAML is accepted
as a study, a plan or a part of one; JSON and TOML are read; of shell commands programs, options,
targets and files exist (`test_doc_commands.py`). A comment before a block says otherwise:
`<!-- run -->` (a shell block runs beside a finished study, in `tests/workflow`),
`<!-- with results -->` (Python and SQL, the same), `<!-- tested in: tests/FILE.py -->`,
`<!-- not run: reason -->`, `<!-- sample: reason -->` (of output).
"""

import contextlib
import io
import itertools
import json
import tomllib
import types

import pytest
import yaml
from documented import BLOCKS, ROOT, blocks_of, commands_of, outputs, same_output

from repairstudy.analysis.plan import Plan
from repairstudy.checked import validate
from repairstudy.config import OutcomesConfig, StudyConfig, parse_study
from repairstudy.environments import make_environment
from repairstudy.errors import DataError

LANGUAGES = {"python", "py", "yaml", "json", "toml", "sh", "sql", "text"}
# A part of these sections stands for the whole; of others it is merged into what is there.
WHOLE = ("environment", "families", "models", "executors", "judge")


def of(*languages):
    return [block for block in BLOCKS if block.language in languages]


def test_each_block_says_what_it_is():
    unknown = [str(b) for b in BLOCKS if b.language not in LANGUAGES and b.mark != "not run"]
    assert not unknown, f"fenced blocks with one of {sorted(LANGUAGES)}, or why it is not run"
    unasked = [str(block) for block in of("sql") if block.mark != "with results"]
    assert not unasked, "queries need the mark `with results`"
    shown = set(outputs(BLOCKS).values())
    loose = [
        str(block) for block in of("text") if not (block.mark or block.file) and block not in shown
    ]
    assert not loose, "text that is no file, no output of the block before, and not marked"


def test_what_is_shown_as_output_comes_from_a_block_that_is_run():
    for block, shown in outputs(BLOCKS).items():
        runs = block.language in ("python", "py") or block.mark in ("run", "tested in")
        assert runs, f"{shown}: what is before it is not run"
        assert block.page == shown.page, f"{shown}: nothing is before it"


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.mark], ids=str)
def test_a_mark_gives_its_reason(block):
    if block.mark in ("not run", "sample"):
        assert len(block.reason) > 8
    elif block.mark == "tested in":
        test = (ROOT / block.reason).read_text(encoding="utf-8")
        assert block.page.rpartition("/")[2] in test, "the test does not name the page"
    else:
        assert not block.reason


PAGES = [
    pytest.param(list(found), id=page)
    for page, found in itertools.groupby(of("python", "py"), lambda block: block.page)
]


@pytest.mark.parametrize("blocks", PAGES)
def test_python_runs_and_prints_what_the_page_shows(blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = outputs(BLOCKS)
    page = types.ModuleType("page").__dict__
    for block in blocks:
        code = compile(block.content, str(block), "exec")
        if block.mark in ("tested in", "not run", "with results"):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, page)
        if block in shown:
            assert same_output(shown[block].content, printed.getvalue()), printed.getvalue()


def merged(whole, part):
    """The study with a part of it replaced; sections by name, one entry beside the others."""
    both = dict(whole)
    for key, value in part.items():
        deep = isinstance(value, dict) and isinstance(both.get(key), dict)
        if deep and key in ("models", "executors"):
            both[key] = both[key] | value
        else:
            both[key] = merged(both[key], value) if deep and key not in WHOLE else value
    return both


def accepted(block, study, plan):
    """Check one YAML block; study and plan of its page so far, and with it.

    Raises:
        ConfigError: the library does not accept it.
    """
    part = yaml.safe_load(block.content)
    keys = set(part)
    if block.mark == "tested in":
        pass
    elif "groups" in keys:
        rules = "\n".join(path.read_text("utf-8") for path in ROOT.glob("workflow/rules/*.smk"))
        for group in part.pop("groups"):
            assert f"rule {group.partition('=')[0]}:" in rules, group
        assert not part, "a profile's part of which more is not known here"
    elif keys <= set(Plan.model_fields) and not keys <= set(StudyConfig.model_fields):
        plan = part if "study" in keys else merged(plan, part)
        validate(Plan, plan, str(block))
    elif {"study", "environment"} <= keys or keys <= set(OutcomesConfig.model_fields) - set(
        StudyConfig.model_fields
    ):
        study = part
        parse_study(study, str(block))
    else:
        study = merged(study, part)
        parse_study(study, str(block))
    if "environment" in keys and not block.mark:  # where no other test makes it
        with contextlib.suppress(DataError):  # its data need not be here, its options are checked
            make_environment(part["environment"]["name"], part["environment"].get("options", {}))
    return study, plan


STUDY, PLAN = (
    yaml.safe_load((ROOT / f"config/{kind}/tiny.yaml").read_text("utf-8"))
    for kind in ("studies", "plans")
)
YAML_PAGES = [
    pytest.param(list(found), id=page)
    for page, found in itertools.groupby(of("yaml"), lambda block: block.page)
]


@pytest.mark.parametrize("blocks", YAML_PAGES)
def test_yaml_is_accepted_as_a_study_a_plan_or_a_part_of_one(blocks):
    """Parts are merged into the miniature study, each after those before it on its page."""
    study, plan = STUDY, PLAN
    files = {block.file for block in BLOCKS if block.page == blocks[0].page}
    for block in blocks:
        study, plan = accepted(block, study, plan)
        for name in files_of(yaml.safe_load(block.content)):
            assert (ROOT / name).exists() or name in files, f"{block}: no {name}"


def files_of(part):
    """Prompts and shipped checkpoints that a configuration names."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "prompt" or (key == "path" and str(value).startswith("resources/")):
                yield value
            yield from files_of(value)


@pytest.mark.parametrize("block", of("json"), ids=str)
def test_json_is_json(block):
    for line in block.content.splitlines():
        json.loads(line)


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_toml_names_our_groups_of_entry_points(block):
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    groups = tomllib.loads(block.content)["project"]["entry-points"]
    assert groups
    assert set(groups) <= set(known)


def test_blocks_are_found_with_their_marks_files_and_outputs():
    text = (
        "Put into `a/b.txt`:\n\n```text\nhello\n```\n\n<!-- run -->\n```sh\nls\n```\n\n"
        "```text\nb\n```\n\n<!-- not run: needs a GPU -->\n```sh\nx\n```\n\n    indented\n"
    )
    found = blocks_of("page.md", text)
    assert [(b.language, b.mark, b.file) for b in found] == [
        ("text", "", "a/b.txt"), ("sh", "run", ""), ("text", "", ""),
        ("sh", "not run", ""), ("indented", "", ""),
    ]  # fmt: skip
    assert outputs(found) == {found[1]: found[2]}


def test_shell_blocks_are_taken_apart():
    text = "A=1 .venv/bin/x -a \\\n  b # comment\ny 'one\ntwo' | z && w\n\nv > out\n"
    assert commands_of(text) == [
        ["x", "-a", "b"], ["y", "one\ntwo"], ["z"], ["w"], ["v"],
    ]  # fmt: skip
