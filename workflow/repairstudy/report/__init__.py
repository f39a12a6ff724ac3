"""Tables, figures, report and notebook of a finished study, drawn from its database alone."""

from repairstudy.report.frames import Frames, load_frames

__all__ = ["Frames", "load_frames"]
