"""Progress on standard error, where that is a terminal; silence where it is not."""

import sys
from types import TracebackType
from typing import Self

from harness.domain.calls import Progress


class Shown:
    """Shows the state of a run in one live line."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()

    def __enter__(self) -> Self:
        if not self._quiet:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._quiet:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far the run has come."""
        if not self._quiet:
            from rich.text import Text

            self._live.update(Text(line(progress)))


def line(progress: Progress) -> str:
    """Return the state of a run in one line."""
    parts = [
        f"{progress.phase} {progress.n_done}/{progress.n_total}",
        f"{progress.n_cached} from the store",
        f"{progress.prompt_tokens + progress.completion_tokens} tokens"
        + (f" ({progress.n_usage_unknown} calls uncounted)" if progress.n_usage_unknown else ""),
    ]
    if progress.cost is not None:
        parts.append(f"cost {progress.cost:.2f}")
    parts += [f"{kind} {n}" for kind, n in progress.errors]
    if progress.eta_s is not None:
        parts.append(f"about {_duration(progress.eta_s)} left")
    if progress.waiting_for:
        parts.append(f"waiting for {progress.waiting_for}")
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
