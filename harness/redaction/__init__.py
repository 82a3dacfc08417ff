"""Texts withheld from a copy of a run: what is committed to, what is shown, what stands in."""
