"""How many of the calls that go between others are due."""


def n_due(*, n_spread: int, n_passed: int, n_total: int) -> int:
    """Return how many of ``n_spread`` calls should have gone out once ``n_passed`` of ``n_total`` have.

    So they are spread evenly; with no others to go between, all are due.
    """
    return n_spread if n_passed >= n_total else n_spread * n_passed // n_total
