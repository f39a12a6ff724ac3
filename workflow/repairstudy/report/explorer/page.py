"""The page of failures: one file that opens from disk and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from repairstudy.report.explorer.choices import BADLY
from repairstudy.report.explorer.failures import (
    HELPS,
    MOST_FAILURES,
    FailureView,
    deployed_of,
    failure_rows,
)
from repairstudy.report.explorer.failures import failures as failure_views
from repairstudy.report.explorer.lookups import ROLES
from repairstudy.report.explorer.outcomes import ROLE_WORDS
from repairstudy.report.explorer.places import Places
from repairstudy.report.explorer.policy import content_security_policy, data
from repairstudy.report.explorer.rollouts import data_of, told_roles, words
from repairstudy.report.explorer.story import legend
from repairstudy.report.failure_labels import LabelView, filters
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.numbers import decimal
from repairstudy.report.study import study_of
from repairstudy.report.templating import FOLDER, render
from repairstudy.store import replacing


@dataclass(frozen=True, slots=True)
class Asked:
    """What the list can be filtered by; rows refer to these by their places."""

    executors: tuple[str, ...]
    pools: tuple[str, ...]
    labels: tuple[LabelView, ...]
    evaluators: tuple[tuple[str, str, int], ...]

    def row(self, view: FailureView) -> dict[str, str]:
        """The attributes of a row of the list: numbers alone, no text of anybody."""
        keys = [label.key for label in self.labels]
        names = [name for name, *_ in self.evaluators]
        bad = [names.index(one.name) for one in view.choosers if one.bad]
        labels = sorted({keys.index(label.key) for label in view.labels})
        return {
            "executor": str(self.executors.index(view.deployed)),
            "pools": _joined(self.pools.index(name) for name in view.pool_names),
            "labels": _joined(labels),
            "bad": _joined(bad),
            "gain": f"{view.reach[0]:.4f}" if view.reach else "",
            "helps": str(int(view.helps)),
            "disagree": str(int(view.disagreeing)),
            "settled": str(int(view.settled)),
            "steps": str(len(view.steps)),
        }


def write_explorer(frames: Frames, out: str | Path, most: int = MOST_FAILURES) -> None:
    """Write the page of failures: the first `most` of each deployed executor's pools."""
    html = render_explorer(frames, most)
    with replacing(out) as temporary:
        temporary.write_text(html, encoding="utf-8")


def render_explorer(frames: Frames, most: int = MOST_FAILURES, report: str = "report.html") -> str:
    """The page as HTML. `report` is the address of the report relative to it."""
    places = Places(frames, deployed_of(failure_rows(frames, most)))
    found = failure_views(frames, most, places)
    asked = _asked(found)
    arms = {view.failure_id: places.arms(view.failure_id) for view in found}
    told = told_roles(arms)
    style = Markup(_text("page.css") + _text("explorer.css"))
    script = Markup(_text("explorer.js"))
    return render(
        "explorer.html.j2",
        policy=content_security_policy(style, script),
        style=style,
        script=script,
        study=study_of(frames),
        failures=[
            (view, asked.row(view), data(data_of(arms[view.failure_id], places.rewards, told)))
            for view in found
        ],
        total=table_of(frames, "failures")["failure_id"].n_unique(),
        report=report,
        asked=asked,
        words=data(words()),
        rewards=places.rewards,
        untold=[ROLE_WORDS[role] for role in ROLES if role not in told],
        ends=words()["ends"],
        roles=ROLE_WORDS,
        helps=decimal(HELPS),
        badly=decimal(BADLY),
        legend=legend(table_of(frames, "steps")),
        maps=any(view.path for view in found),
    )


def _asked(found: list[FailureView]) -> Asked:
    bad = [one for view in found for one in view.choosers if one.bad]
    named = {one.name: one.label for view in found for one in view.choosers}
    counted = ((name, label, sum(one.name == name for one in bad)) for name, label in named.items())
    return Asked(
        tuple(dict.fromkeys(view.deployed for view in found)),
        tuple(dict.fromkeys(name for view in found for name in view.pool_names)),
        tuple(filters(view.labels for view in found)),
        tuple(sorted((one for one in counted if one[2]), key=lambda one: one[1])),
    )


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
