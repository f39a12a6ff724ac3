"""The report: one HTML file that opens from disk, without network and without scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from markupsafe import Markup

from repairstudy import __version__
from repairstudy.records import TABLES
from repairstudy.report.about import environment_of, labels
from repairstudy.report.audit_section import audit_section
from repairstudy.report.captions import Caption
from repairstudy.report.cost_table import costs_grid
from repairstudy.report.figures import FIGURES
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid, executors_grid, frame_grid
from repairstudy.report.imported import imported_notes
from repairstudy.report.numbers import moment, percent
from repairstudy.report.provenance import infrastructure_grid, registration_of, sources
from repairstudy.report.published import Published, compare
from repairstudy.report.sections import sections
from repairstudy.report.study import Study, study_of
from repairstudy.report.summary import summary, words
from repairstudy.report.svg import inline
from repairstudy.report.templating import render
from repairstudy.report.validation.section import validation_section
from repairstudy.report.verdicts import tally, verdicts
from repairstudy.report.warnings import remarks_of, warnings_of
from repairstudy.report.wording import counted
from repairstudy.store import replacing


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure on the page."""

    name: str
    title: str
    caption: Caption
    svg: Markup


def write_report(
    frames: Frames, figures: str | Path, published: Published, out: str | Path,
    explorer: str | None = None,
) -> None:  # fmt: skip
    """Write the report.

    Args:
        frames: the study's tables.
        figures: folder with the drawn NAME.svg; a figure without its file is left out.
        published: reference numbers.
        out: the HTML file.
        explorer: address of the explorer page relative to the report, if there is one.

    Raises:
        DataError: a file among the figures is no SVG of ours.
    """
    svgs = {
        name: path.read_text(encoding="utf-8")
        for name in FIGURES
        for path in [Path(figures) / f"{name}.svg"]
        if path.is_file()
    }
    html = render_report(frames, svgs, published, explorer)
    with replacing(out) as temporary:
        temporary.write_text(html, encoding="utf-8")


def render_report(
    frames: Frames, svgs: Mapping[str, str], published: Published, explorer: str | None = None
) -> str:
    """The report as HTML. `svgs` holds drawn figures by name."""
    study, found, name = study_of(frames), verdicts(frames), environment_of(frames)
    about = published.environments.get(name or "")
    return render(
        "report.html.j2",
        study=study,
        deployed=list(dict.fromkeys(pool.deployed for pool in study.pools)),
        environment=about.title if about else name,
        notes=about.notes if about else [],
        labels=[*labels(frames, published.labels), *imported_notes(frames)],
        warnings=warnings_of(frames),
        summary=summary(frames),
        words=words(study),
        level=percent(study.level),
        verdicts=found,
        tally=tally(found),
        frozen_at=moment(study.frozen_at),
        settings=_settings(study),
        plan_text=yaml.safe_dump(study.plan, sort_keys=False, allow_unicode=True),
        sections=[*sections(frames), validation_section(frames)],
        figures=_drawings(frames, svgs),
        published=published,
        compared=compare(frames, published),
        confirmatory=bool(table_of(frames, "results")["confirmatory"].any()),
        executors=executors_grid(frames),
        identities=_identities(frames),
        audit=audit_section(frames),
        costs=costs_grid(frames),
        times=_times(frames),
        versions=_versions(frames),
        registration=registration_of(frames),
        remarks=remarks_of(frames),
        infrastructure=infrastructure_grid(frames),
        sources=sources(frames),
        config_text=yaml.safe_dump(study.config, sort_keys=False, allow_unicode=True),
        dictionary=[_dictionary(name) for name in TABLES if name in frames],
        explorer=explorer,
        version=__version__,
    )


def _drawings(frames: Frames, svgs: Mapping[str, str]) -> dict[str, Drawing]:
    found = {}
    for name, svg in svgs.items():
        spec = FIGURES[name]
        if spec.available(frames):
            caption = spec.caption(frames)
            drawn = inline(svg, name, spec.title, caption.shows)
            found[name] = Drawing(name, spec.title, caption, drawn)
    return found


def _settings(study: Study) -> list[tuple[str, str]]:
    """The settings of the plan that a reader of the verdicts needs."""
    plan, bootstrap = study.plan, study.plan.get("bootstrap", {})
    interval, control = plan.get("interval", {}), plan.get("positive_control", {})
    families = plan.get("families", ())
    matched = counted(study.matched_rollouts, "rollout")
    sizes = ", ".join(
        f"{family['name']} ({counted(len(family['evaluators']), 'test')})" for family in families
    )
    return [
        ("alpha", f"{plan.get('alpha', '–')}, one-sided, Holm within each family"),
        ("families", sizes or "none"),
        ("interval", f"{percent(study.level)}, {interval.get('type', '–')}, two-sided"),
        (
            "bootstrap",
            f"{bootstrap.get('replicates', '–')} replicates over each "
            f"{bootstrap.get('unit', 'failure')}; p-values by {bootstrap.get('p_value', '–')}",
        ),
        ("positive control", f"at least {study.threshold} ({control.get('gate', 'point')})"),
        ("matched selection", f"{matched} a candidate"),
    ]


def _identities(frames: Frames) -> list[dict[str, str]]:
    rows = table_of(frames, "executors").sort("name").to_dicts()
    return [{"name": row["name"], "text": _as_yaml(row["identity"])} for row in rows]


def _as_yaml(text: str) -> str:
    """JSON text as YAML; text that is no JSON stays as it is."""
    try:
        return str(yaml.safe_dump(json.loads(text), sort_keys=False, allow_unicode=True))
    except json.JSONDecodeError:
        return text


def _times(frames: Frames) -> list[tuple[str, str]]:
    rows = table_of(frames, "provenance").to_dicts()
    if not rows or rows[0]["started"] is None or rows[0]["finished"] is None:
        return []
    started: datetime = rows[0]["started"]
    finished: datetime = rows[0]["finished"]
    minutes, seconds = divmod(round((finished - started).total_seconds()), 60)
    return [
        ("first rollout", moment(started)),
        ("last rollout", moment(finished)),
        ("between them", f"{minutes} min {seconds} s, pauses and resumptions included"),
    ]


def _versions(frames: Frames) -> Grid:
    rows = table_of(frames, "provenance").to_dicts()
    versions: dict[str, Any] = json.loads(rows[0]["versions"]) if rows else {}
    study = study_of(frames)
    pairs = [("commit of the frozen plan", study.commit or "–"), *sorted(versions.items())]
    frame = pl.DataFrame(
        {"what": [name for name, _ in pairs], "version": [str(text) for _, text in pairs]}
    )
    return frame_grid("Versions", frame, {"what": "what", "version": "version"})


def _dictionary(name: str) -> Grid:
    table = TABLES[name]
    cells = [
        [column.name, str(column.dtype), "yes" if column.nullable else "", column.doc]
        for column in table.columns
    ]
    title = f"{name}: one row a {', '.join(table.key)}"
    return Grid(title, ("column", "type", "may be null", "meaning"), cells, folded=True)
