"""A fuzz target for atheris: bytes become a statement, and the gateway may answer or deny.

Run by `tests/attacks/test_fuzz_many.py`: `python -m support.atheris_target FOLDER -runs=N`.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

atheris: Any = importlib.import_module("atheris")  # not installed by default
with atheris.instrument_imports(include=["sdcdb.gateway.reading", "sdcdb.gateway.gateway"]):
    from sdcdb.errors import Denied
    from support import victims

WORDS = [
    *(
        "SELECT ",
        "COUNT(*)",
        "SUM(salary)",
        " FROM staff",
        " WHERE ",
        " GROUP BY ",
        "age",
        "sex",
        "dept",
        "'F'",
        " > 30",
    ),
    *(" AND ", "CASE WHEN ", " THEN ", " END", "(", ")", ", ", "1", "NULL", "::INT", " FILTER (WHERE ", "$1", "?", '"'),
    *(
        " UNION ALL ",
        "WITH a AS (",
        ") ",
        "DATE '2000-01-01'",
        " ORDER BY ",
        " LIMIT 1",
        "salary",
        "*",
        "--",
        "/*",
        "'",
    ),
]


def statement(data: bytes) -> str:
    """Read bytes as words of SQL and, above those, as characters."""
    return "".join(WORDS[byte] if byte < len(WORDS) else chr(byte) for byte in data)


def main() -> None:
    """Open a gateway and fuzz it until the runs are used up."""
    folder = Path(sys.argv.pop(1))
    path = victims.create(folder / "staff.duckdb", rows=60)
    with victims.gateway(path) as gateway:

        def once(data: bytes) -> None:
            sql = statement(data)
            gateway.explain(sql)
            if len(data) % 16 == 0:
                try:
                    gateway.ask(sql)
                except Denied:
                    return

        atheris.Setup(sys.argv, once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
