"""Counters of the server, and their text in the form that Prometheus reads. No user, no SQL and no data in them."""

import threading
from bisect import bisect_left
from collections.abc import Callable

_NAMES = {
    "sdcdb_questions_total": "Questions by verdict and rule.",
    "sdcdb_logins_total": "Attempts to log in by door and outcome.",
    "sdcdb_connections_total": "Connections by door.",
    "sdcdb_connections_refused_total": "Connections that were refused or ended by a limit, by door and reason.",
    "sdcdb_acts_total": "Acts of owners.",
    "sdcdb_errors_total": "Unexpected errors by door.",
}
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts events. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[tuple[tuple[str, str], ...], int]] = {name: {} for name in _NAMES}
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}
        self._buckets = [0] * (len(_SECONDS) + 1)
        self._sum = 0.0

    def count(self, name: str, **labels: str) -> None:
        """Count an event."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            counts = self._counts[name]
            counts[key] = counts.get(key, 0) + 1

    def took(self, seconds: float) -> None:
        """Take in how long a question took."""
        with self._lock:
            self._buckets[bisect_left(_SECONDS, seconds)] += 1
            self._sum += seconds

    def gauge(self, name: str, words: str, read: Callable[[], float]) -> None:
        """Add something that is read whenever somebody looks."""
        self._gauges[name] = (words, read)

    def total(self, name: str, **labels: str) -> int:
        """Return the count of events with at least these labels."""
        wanted = set(labels.items())
        with self._lock:
            return sum(number for key, number in self._counts[name].items() if wanted <= set(key))

    def text(self) -> str:
        """Return everything in Prometheus' text format, version 0.0.4."""
        lines: list[str] = []
        with self._lock:
            for name, words in _NAMES.items():
                lines += [f"# HELP {name} {words}", f"# TYPE {name} counter"]
                lines += [f"{name}{_labels(key)} {number}" for key, number in sorted(self._counts[name].items())]
            lines += [
                "# HELP sdcdb_question_seconds How long questions took.",
                "# TYPE sdcdb_question_seconds histogram",
            ]
            so_far = 0
            for edge, number in zip((*map(str, _SECONDS), "+Inf"), self._buckets, strict=True):
                so_far += number
                lines.append(f'sdcdb_question_seconds_bucket{{le="{edge}"}} {so_far}')
            lines += [f"sdcdb_question_seconds_sum {self._sum:.6f}", f"sdcdb_question_seconds_count {so_far}"]
        for name, (words, read) in self._gauges.items():
            lines += [f"# HELP {name} {words}", f"# TYPE {name} gauge", f"{name} {read():g}"]
        return "\n".join(lines) + "\n"


def _labels(key: tuple[tuple[str, str], ...]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in key)
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
