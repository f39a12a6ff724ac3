"""What is said when a run has ended."""

import os

from repairstudy.cli.ended import failures, products


def written(path, text, age_s=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000 - age_s, 1_000 - age_s))
    return path


def test_errors_of_this_run_are_told_with_their_logs(tmp_path):
    bad = written(tmp_path / "logs/run/main.a.log", "5 rollouts\nerror: x: no y.\nDo z.\n")
    bug = written(
        tmp_path / "logs/b.log", "half\nTraceback (most recent call last):\nKeyError: 1\n"
    )
    written(tmp_path / "logs/c.log", "done in 3.0 s\n")
    written(tmp_path / "logs/d.log", "error: of yesterday\n", age_s=100)
    assert failures([tmp_path, tmp_path / "nowhere"], since=950).splitlines() == [
        f"{bug}:", "  KeyError: 1", f"{bad}:", "  error: x: no y.", "  Do z.",
    ]  # fmt: skip


def test_what_was_written_is_named(tmp_path):
    report = written(tmp_path / "report.html", "")
    written(tmp_path / "study.duckdb", "", age_s=100)
    assert products(tmp_path, since=950) == f"wrote {report}\n"
    assert products(tmp_path, since=1_001) == ""
