"""The software that a run was made with, as a bill that a digest names."""

from harness.domain.record import Record, Text


class SoftwareBill(Record):
    """``environment.json``: every installed distribution by its normalised name (PEP 503), sorted.

    The digest of its canonical bytes is in the report's provenance.
    """

    python: Text
    platform: Text
    packages: tuple[tuple[Text, Text], ...]
