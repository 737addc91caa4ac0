"""The results file: one line per finished run, so that an interrupted experiment can resume.

The first line identifies the experiment; results of another one are refused, never mixed. A line is written by one
call and flushed to disk before the run counts as done; a line truncated by a crash is dropped.
"""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sdcdb.errors import SdcdbError
from sdcdb.evaluate.release import Outcome

FORMAT = 1


class Results:
    """An open results file; without one, results are kept for this session only."""

    def __init__(self, file: Path | None, experiment: dict[str, Any]) -> None:
        self._experiment = {"format": FORMAT, **json.loads(json.dumps(experiment))}
        self._file = file
        self.outcomes: list[Outcome] = []
        self._descriptor: int | None = None
        if file is not None:
            self._open(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def done(self) -> set[tuple[str, str, int]]:
        """Return the technique, amount and number of every finished run."""
        return {(each.technique, each.amount, each.run) for each in self.outcomes}

    def add(self, outcome: Outcome) -> None:
        """Keep the result of one run."""
        self.outcomes.append(outcome)
        self._write(outcome.plain())

    def _open(self, file: Path) -> None:
        try:
            self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            text = file.read_bytes()
        except OSError as problem:
            raise SdcdbError(f"cannot write results to {file}: {problem.strerror}") from None
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines:
            if not json.dumps(self._experiment, ensure_ascii=False).encode().startswith(text):
                raise SdcdbError(f"{file} is not a file of results: choose another name for --resume")
            os.ftruncate(self._descriptor, 0)
            self._write(self._experiment)
            return
        self._read(file, lines)
        os.ftruncate(self._descriptor, len(whole))

    def _read(self, file: Path, lines: list[bytes]) -> None:
        number = 1
        try:
            header = json.loads(lines[0])
            self._same(file, header)
            for number, line in enumerate(lines[1:], start=2):  # noqa: B007 - for the message below
                self.outcomes.append(Outcome.read(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise SdcdbError(
                f"{file}:{number} is not a result: remove the file, or choose another name for --resume"
            ) from None

    def _same(self, file: Path, header: dict[str, Any]) -> None:
        if "format" not in header:
            raise ValueError(header)
        differ = [name for name in self._experiment if header.get(name) != self._experiment[name]]
        if differ:
            what = differ[0]
            raise SdcdbError(
                f"{file} contains results of another experiment: its {what} is {header.get(what)!r}, "
                f"not {self._experiment[what]!r}. Choose another file, or use the options of that experiment"
            )

    def _write(self, plain: dict[str, Any]) -> None:
        if self._descriptor is None:
            return
        line = (json.dumps(plain, ensure_ascii=False) + "\n").encode()
        try:
            if os.write(self._descriptor, line) < len(line):
                raise OSError(28, "no space left on the device")
            os.fsync(self._descriptor)
        except OSError as problem:
            raise SdcdbError(f"cannot write results to {self._file}: {problem.strerror}") from None
