"""Where to go on reading each log: a file is known by its beginning, because rotation gives its name to another."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sdcdb.auditor.reading.input_history import History
from sdcdb.logs.record import Beginning, LogProblem, Place
from sdcdb.logs.source import Source


def go_on(history: History, paths: Sequence[Path]) -> tuple[list[Path], list[LogProblem]]:
    """Set the places from which the logs are read, and return the files to read, with those rotated meanwhile.

    A file that was replaced is read from its start. The file it was is looked for beside it, under another name, so
    that its last lines are read too; where it is not found, they are lost, which is a problem.
    """
    places, beginnings = history.places, history.beginnings
    wanted: list[Path] = []
    problems: list[LogProblem] = []
    known = {name: (beginnings[name], places[name]) for name in places if name in beginnings}
    for path in paths:
        name = str(path)
        if name not in known or is_same(path, *known[name]):
            wanted.append(path)
            continue
        beginning, place = known[name]
        del places[name], beginnings[name]
        others = [each for each in paths if str(each) not in known and each != path]
        moved = next((each for each in (*others, *_beside(path)) if is_same(each, beginning, place)), None)
        if moved is not None:
            places[str(moved)], beginnings[str(moved)] = place, beginning
            wanted += [moved] if moved not in paths else []
        else:
            lost = "it was replaced since it was last read, and what was written after line"
            problems.append(LogProblem(name, 1, f"{lost} {place.lines} of the earlier file is lost (log rotation?)"))
        wanted.append(path)
    return wanted, problems


def remember(history: History) -> None:
    """Keep how each file that was read begins."""
    for name in history.places:
        path = Path(name)
        if path.exists():
            history.beginnings[name] = Source(path).beginning()


def is_same(path: Path, beginning: Beginning, place: Place) -> bool:
    """Return whether a file begins as it did, and still has what was read."""
    if not beginning.size or not path.is_file():
        return False
    source = Source(path)
    size = source.size
    return source.beginning(beginning.size) == beginning and (size is None or size >= place.offset)


def _beside(path: Path) -> Iterator[Path]:
    """Yield the files that rotation may have made of a log: `x.log.1`, `x.log.2.gz`, `x.log-20260101`, newest first."""
    found = [each for each in path.parent.glob(f"{path.stem}*") if each != path and each.is_file()]
    yield from sorted(found, key=lambda each: -each.stat().st_mtime)
