"""The validation of the statistics as figures, a page of its own, and a section of reports."""
