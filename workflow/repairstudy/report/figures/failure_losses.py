"""Selection loss when an evaluator chooses the position as well as the candidate."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from repairstudy.report.captions import Caption
from repairstudy.report.figures import losses
from repairstudy.report.frames import Frames

TITLE = "Selection losses when position and candidate are chosen together"
ANALYSIS = "failure_scope"


def available(frames: Frames) -> bool:
    return losses.available(frames, ANALYSIS)


def draw(frames: Frames) -> Figure:
    """As the losses at the primary position, for the choice among all sampled positions."""
    return losses.draw(frames, ANALYSIS)


def caption(frames: Frames) -> Caption:
    told = losses.caption(frames, ANALYSIS)
    choice = "The choice is among all sampled positions of a failure and their candidates."
    return replace(told, reading=f"{choice} {told.reading}")
