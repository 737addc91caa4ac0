"""A log file as numbered lines: gzip or plain, whatever its encoding, however it ends, in bounded memory."""

import gzip
import zlib
from collections import deque
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from sdcdb.errors import SdcdbError
from sdcdb.logs.record import Beginning, LogProblem, Place
from sdcdb.logs.tally import Fate, Tally

GZIP = b"\x1f\x8b"
LONGEST = 16 << 20  # bytes of one line: nobody writes a longer statement
REPORTED = 100  # problems of one kind that are listed one by one; a broken disk can damage every line
REMEMBERED = 1 << 16  # bytes at the start of a file by which it is recognised
BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Line(NamedTuple):
    """One line without its end, its number from 1, and where the next one starts."""

    number: int
    text: str
    after: Place


class Source:
    """One file being read. Problems gather in `problems` until the caller takes them; `tally` accounts for lines.

    With `growing`, a last line without an end is left for the next reading, and with `patient` also what may continue
    on lines that are not written yet.
    """

    def __init__(self, path: Path, start: Place | None = None, *, growing: bool = False, patient: bool = False) -> None:
        self.path = path
        self.name = str(path)
        self.start = start or Place()
        self.growing = growing or patient
        self.patient = patient
        self.problems: deque[LogProblem] = deque()
        self.tally = Tally()
        self._told: dict[str, int] = {}

    def report(self, line: int, what: str, kind: str | None = None) -> None:
        """Note a problem. Only the first hundred of each kind are noted, and then that there are more."""
        kind = kind or what
        self._told[kind] = self._told.get(kind, 0) + 1
        if self._told[kind] <= REPORTED:
            self.problems.append(LogProblem(self.name, line, what))
        elif self._told[kind] == REPORTED + 1:
            self.problems.append(LogProblem(self.name, line, f"{kind}: more of the same follow and are not listed"))

    def leaves(self, lines: int) -> bool:
        """Return whether the last lines, which may continue, are left for the next reading."""
        if self.patient:
            self.tally.lines -= lines
        return self.patient

    @property
    def size(self) -> int | None:
        """The bytes to be read, or None for a compressed file."""
        return None if self._compressed() else self.path.stat().st_size

    def head(self, size: int = 1 << 18) -> bytes:
        """Return the first bytes, unpacked, as far as they can be read."""
        taken = b""
        with self.open() as stream:
            try:
                while len(taken) < size and (more := stream.read(min(size - len(taken), 1 << 14))):
                    taken += more
            except (EOFError, OSError, zlib.error):
                pass  # the reader will report it with its line; what came before is enough to detect the format
        return taken

    def beginning(self, size: int = REMEMBERED) -> Beginning:
        """Return the digest of the first bytes, by which the file is recognised when it was renamed or replaced."""
        head = self.head(size)
        return Beginning(len(head), sha256(head).hexdigest())

    def open(self) -> IO[bytes]:
        """Open the file, unpacking gzip."""
        try:
            if self._compressed():
                return cast("IO[bytes]", gzip.open(self.path, "rb"))
            return self.path.open("rb")
        except OSError as problem:
            raise SdcdbError(f"cannot read the log {self.path}: {problem.strerror}") from None

    def first_lines(self) -> Iterator[Line]:
        """Yield lines from the start without accounting for them: to look at a header again."""
        aside = Source(self.path)
        yield from aside.lines()

    def lines(self, start: Place | None = None, *, whole: bool = False) -> Iterator[Line]:
        """Yield the lines from a place on; report a truncated gzip file, NUL bytes and broken encodings.

        A last line without an end is yielded too; with `whole`, it is reported as cut short.
        """
        place = start or self.start
        number, offset = place.lines, place.offset
        with self.open() as stream:
            encoding, skip = self._encoding(stream)
            offset = self._seek(stream, max(offset, skip), place)
            number = number if offset == max(place.offset, skip) else 0
            end = "\n".encode(encoding)
            while True:
                raw = self._readline(stream, number + 1, end)
                if not raw or (self.growing and not raw.endswith(end) and len(raw) < LONGEST):
                    return
                number, offset = number + 1, offset + len(raw)
                self.tally.lines += 1
                if len(raw) >= LONGEST and not raw.endswith(end):
                    offset += self._skip_line(stream, end)
                    self.report(number, f"the line is longer than {LONGEST >> 20} MB and was skipped")
                    self.tally.add(Fate.PROBLEM)
                    continue
                if whole and not raw.endswith(end):
                    self.report(number, "the file ends in the middle of this line: the rest is missing")
                yield Line(number, self._decoded(raw, number, encoding), Place(number, offset))

    def _readline(self, stream: Any, number: int, end: bytes) -> bytes:
        raw = b""
        try:
            raw = stream.readline(LONGEST)
            while len(end) > 1 and raw and not (raw.endswith(end) and len(raw) % len(end) == 0):
                # UTF-16: the byte 0x0A may be half of another character, and the other half may follow
                more = stream.readline(LONGEST) if len(raw) % len(end) == 0 else stream.read(1)
                if not more or len(raw) >= LONGEST:
                    break
                raw += more
        except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as problem:
            what = (
                "the compressed file is truncated here" if isinstance(problem, EOFError) else "unreadable from here on"
            )
            self.report(number, f"{what}: what comes after is lost")
        return raw

    def _skip_line(self, stream: Any, end: bytes) -> int:
        skipped = 0
        try:
            while more := stream.readline(LONGEST):
                skipped += len(more)
                if more.endswith(end):
                    break
        except (EOFError, zlib.error, OSError):
            pass
        return skipped

    def _decoded(self, raw: bytes, number: int, encoding: str) -> str:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            text = raw.decode(encoding, errors="replace")
            self.report(
                number, f"bytes that are not {encoding.upper()}; read with replacement characters", "broken encoding"
            )
        if "\0" in text:
            self.report(number, "NUL bytes: part of the file was overwritten or never written", "NUL bytes")
            text = text.replace("\0", "")
        return text.rstrip("\r\n")

    def _encoding(self, stream: IO[bytes]) -> tuple[str, int]:
        try:
            first = stream.read(4)
        except (EOFError, zlib.error, OSError):
            first = b""
        for mark, encoding in BOMS.items():
            if first.startswith(mark):
                return encoding, len(mark)
        return "utf-8", 0

    def _seek(self, stream: IO[bytes], offset: int, place: Place) -> int:
        try:
            stream.seek(offset)
        except (EOFError, zlib.error, OSError):
            stream.seek(0)  # as far as possible: the reader itself reports the place
            self.report(1, "the place to resume from cannot be reached; the file is read from its start")
            return 0
        return offset if offset or not place.lines else 0

    def _compressed(self) -> bool:
        try:
            with self.path.open("rb") as stream:
                return stream.read(2) == GZIP
        except IsADirectoryError:
            raise SdcdbError(f"{self.path} is a folder: name the log files in it") from None
        except OSError as problem:
            raise SdcdbError(f"cannot read the log {self.path}: {problem.strerror}") from None
