"""Where the papers' data is: in the folder given by --data, or by the environment variable SDCDB_DATA."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """The data file, and whether a quick run is enough that records nothing."""

    file: Path
    quick: bool


def asked(name: str, header: str, about: str | None) -> Asked:
    """Read the command line; without the data say so in one line and end, for there is nothing to hold against."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", default=os.environ.get("SDCDB_DATA"), help=f"the folder with {name}")
    parser.add_argument("--quick", action="store_true", help="two files or sizes instead of all; record nothing")
    given = parser.parse_args()
    if given.data is None or not (file := Path(given.data) / name).is_file():
        where = "give --data DIR or set SDCDB_DATA" if given.data is None else f"it is not in {given.data}"
        print(f"{name} is needed, and nothing was run: {where}")
        raise SystemExit(0)
    with file.open(encoding="utf-8") as lines:
        if not lines.readline().startswith(header):
            raise SystemExit(f"{file} must begin with a line of column names, {header}...: add it to the UCI file")
    return Asked(file, given.quick)
