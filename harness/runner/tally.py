"""Counting while a run goes on, and how far it has come."""

from collections import Counter
from collections.abc import Mapping

from harness.domain.calls import Progress, Usage
from harness.domain.specs import Price


class Tally:
    """What one start of a run has counted so far.

    Shared by all its workers, which change it only between awaits, in one
    event loop. Costs are in the currency of the plan.
    """

    def __init__(self, prices: Mapping[str, Price | None]) -> None:
        """Start from nothing.

        Args:
            prices: The price of every endpoint, null where it is not known.
        """
        self._prices = prices
        self.n_started = 0
        self.n_answered = 0
        self.n_failed = 0
        self.n_cached = 0
        self.n_dropped = 0
        self.n_attempts = 0
        self.errors: Counter[str] = Counter()
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.n_usage_unknown = 0
        self.cost = 0.0
        self.reused_cost = 0.0

    @property
    def n_done(self) -> int:
        """Calls that have ended, or were found on disk."""
        return self.n_answered + self.n_failed + self.n_cached

    @property
    def n_held(self) -> int:
        """Responses that must be on disk by now."""
        return self.n_answered + self.n_cached

    def attempt(self, error: str | None) -> None:
        """Count one try and what it ended in."""
        self.n_attempts += 1
        if error is not None:
            self.errors[error] += 1

    def answered(self, endpoint: str, usage: Usage | None) -> None:
        """Count a response that was asked for now."""
        self.n_answered += 1
        self.cost += self._cost(endpoint, usage)
        if usage is None:
            self.n_usage_unknown += 1
            return
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    def cached(self, endpoint: str, usage: Usage | None) -> None:
        """Count a response that was found on disk: it costs nothing now."""
        self.n_cached += 1
        self.reused_cost += self._cost(endpoint, usage)

    def _cost(self, endpoint: str, usage: Usage | None) -> float:
        price = self._prices.get(endpoint)
        if price is None or usage is None:
            return 0.0
        spent = price.prompt * usage.prompt_tokens + price.completion * usage.completion_tokens
        return spent / 1_000_000

    def progress(self, *, phase: str, n_planned: int, elapsed_s: float, waiting_for: str | None) -> Progress:
        """Return how far the run has come.

        Args:
            phase: What is being asked.
            n_planned: Calls planned; those that turned out to be needless are taken off.
            elapsed_s: Seconds since the first call.
            waiting_for: What nothing has come from, if there is such a thing.
        """
        priced = all(price is not None for price in self._prices.values())
        n_calls = self.n_answered + self.n_failed
        n_total = max(n_planned - self.n_dropped, self.n_done, 1)
        return Progress(
            phase=phase,
            n_done=self.n_done,
            n_total=n_total,
            n_cached=self.n_cached,
            n_calls=n_calls,
            errors=tuple(sorted(self.errors.items())),
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            n_usage_unknown=self.n_usage_unknown,
            cost=self.cost if priced else None,
            reused_cost=self.reused_cost if priced else None,
            elapsed_s=elapsed_s,
            # What is left is asked at the pace so far; what came from disk says nothing about it.
            eta_s=(n_total - self.n_done) * elapsed_s / n_calls if n_calls else None,
            waiting_for=waiting_for,
        )
