"""The garbage collector, out of the way while a run is read."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the collector from walking, again and again, millions of values that hold no cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            # What was read lives on while it is counted: the collector need not look at it then either.
            gc.freeze()
            gc.enable()
