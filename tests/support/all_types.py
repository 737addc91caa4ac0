"""A table with a column of every type, and honest statements about it, drawn at random."""

import random
from collections.abc import Iterator

import duckdb

ROWS = 240
COLUMNS = {  # type and value of row i
    "flag": ("BOOLEAN", "CASE WHEN i % 11 > 0 THEN i % 3 = 0 END"),
    "tiny": ("TINYINT", "(i % 7) - 3"),
    "small": ("SMALLINT", "i % 13"),
    "num": ("INTEGER", "CASE WHEN i % 17 > 0 THEN i % 40 END"),
    "big": ("BIGINT", "(i % 5) * 1000000000000"),
    "huge": ("HUGEINT", "(i % 4)::HUGEINT * 100000000000000000000000000000"),
    "utiny": ("UTINYINT", "i % 250"),
    "ubig": ("UBIGINT", "18446744073709551615 - (i % 6)::UBIGINT"),
    "uhuge": ("UHUGEINT", "340282366920938463463374607431768211455::UHUGEINT - (i % 3)::UHUGEINT"),
    "dec": ("DECIMAL(10,2)", "(i % 9) * 1.25"),
    "dec38": ("DECIMAL(38,10)", "(i % 9) * 12345678901234.0000000001"),
    "real": ("FLOAT", "(i % 8) / 4"),
    "dbl": ("DOUBLE", "CASE WHEN i % 19 > 0 THEN (i % 10) / 3 END"),
    "txt": ("VARCHAR", "CASE WHEN i % 23 > 0 THEN ['a', 'B', 'ß', 'it''s', 'Ünder', ''][i % 6 + 1] END"),
    "nocase": ("VARCHAR COLLATE NOCASE", "['a', 'A', 'b', 'B', 'c'][i % 5 + 1]"),
    "mood": ("ENUM('sad', 'ok', 'happy', 'Zen')", "['happy', 'sad', 'Zen', 'ok'][i % 4 + 1]"),
    "bytes": ("BLOB", "['\\x00\\xFF', 'x', ''][i % 3 + 1]::BLOB"),
    "bits": ("BIT", "['101', '0011', '1'][i % 3 + 1]::BIT"),
    "day": ("DATE", "DATE '1999-12-25' + (i % 50)::INTEGER"),
    "clock": ("TIME", "TIME '10:00:00' + INTERVAL (i % 7) MINUTE"),
    "clocktz": ("TIMETZ", "['10:00:00+02', '11:30:00-05:30'][i % 2 + 1]::TIMETZ"),
    "ts": ("TIMESTAMP", "TIMESTAMP '2020-02-28 22:30:00' + INTERVAL (i % 90) HOUR"),
    "ts_ns": ("TIMESTAMP_NS", "('2020-02-28 22:30:00.12345678' || (i % 4))::TIMESTAMP_NS"),
    "tstz": ("TIMESTAMPTZ", "('2020-02-28 2' || (i % 3) || ':30:00+01')::TIMESTAMPTZ"),
    "span": ("INTERVAL", "INTERVAL (i % 3) MONTH + INTERVAL (i % 2) DAY"),
    "uid": ("UUID", "('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1' || (i % 4))::UUID"),
    "list": ("INTEGER[]", "[i % 2, 3]"),
    "pair": ("STRUCT(a INTEGER, b VARCHAR)", "{'a': i % 2, 'b': 'x'}"),
}
WHOLE = ("tiny", "small", "num", "big", "huge", "utiny", "ubig")
NUMBERS = (*WHOLE, "dec", "dec38", "real", "dbl")
DATES = ("day", "ts")


def fill(con: duckdb.DuckDBPyConnection) -> None:
    """Create the table `kinds`, and a public table `dims` of the same rows."""
    listed = ", ".join(f'"{name}" {kind}' for name, (kind, _) in COLUMNS.items())
    values = ", ".join(value for _, value in COLUMNS.values())
    for name in ("kinds", "dims"):
        con.execute(f"CREATE TABLE {name} (id INTEGER, {listed}, pay DECIMAL(12,2), hours INTEGER, rate DOUBLE)")
        con.execute(f"INSERT INTO {name} SELECT i, {values}, i * 1.5, i % 37, (i % 29) / 7 FROM range({ROWS}) AS t(i)")


def policy() -> str:
    """Return a policy that answers everything."""
    quasi = "".join(f'      "{name}": quasi\n' for name in COLUMNS)
    return (
        "version: 1\ntables:\n  kinds:\n    key: id\n    columns:\n      id: identifier\n"
        f"{quasi}      pay: {{role: confidential, domain: [0, 100000]}}\n"
        "      hours: {role: confidential, domain: [0, 100]}\n      rate: {role: confidential, domain: [0, 100]}\n"
        "    restrict: {min_set: 1, min_interval: 0, min_h0: 0, pool: user, groups: deny}\n  dims: public\n"
    )


class Statements:
    """Draws statements that plain DuckDB answers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - no secret

    def drawn(self, number: int) -> Iterator[str]:
        """Yield so many statements."""
        for _ in range(number):
            yield self._public() if self.rng.random() < 0.1 else self._restricted()

    def _restricted(self) -> str:
        where = f" WHERE {self._condition()}" if self.rng.random() < 0.7 else ""
        if self.rng.random() < 0.4:
            return f"SELECT {', '.join(self._aggregates())} FROM kinds{where}"
        keys = [self._key() for _ in range(self.rng.randrange(1, 3))]
        listed = ", ".join([*(f"{key} AS k{n}" for n, key in enumerate(keys)), *self._aggregates()])
        positions = ", ".join(str(n + 1) for n in range(len(keys)))
        by = self.rng.choice([positions, "ALL", f"ROLLUP ({', '.join(keys)})", f"CUBE ({', '.join(keys)})"])
        having = self.rng.choice(["", "", " HAVING COUNT(*) > 2"])
        order = ", ".join(f"k{n} {self.rng.choice(['', 'DESC', 'NULLS FIRST'])}" for n in range(len(keys)))
        return f"SELECT {listed} FROM kinds{where} GROUP BY {by}{having} ORDER BY {order}, COUNT(*) {self._limit()}"

    def _public(self) -> str:
        column = self.rng.choice(list(COLUMNS))
        return self.rng.choice(
            [
                f"SELECT {column}, count(*) FROM dims GROUP BY {column} ORDER BY {column} NULLS FIRST",
                f"SELECT min({column}), max({column}), count({column}) FROM dims WHERE num > {self.rng.randrange(30)}",
                f"SELECT id, {column} FROM dims ORDER BY {column}, id LIMIT {self.rng.randrange(1, 50)}",
            ]
        )

    def _limit(self) -> str:
        return self.rng.choice(["", "", ""])  # ties would be cut as each engine likes

    def _key(self) -> str:
        pick = self.rng.choice
        return pick(
            [
                pick(list(COLUMNS)),
                pick(list(COLUMNS)),
                f"{pick(WHOLE[:4])} % 3",
                "upper(txt)",
                f"{pick(('year', 'month', 'dayofweek', 'isodow', 'dayofyear', 'weekday'))}({pick(DATES)})",
                f"date_trunc('{pick(('month', 'week', 'year'))}', {pick(DATES)})",
                f"CASE WHEN {self._simple()} THEN 'x' ELSE mood::VARCHAR END",
                "coalesce(txt, '-')",
            ]
        )

    def _aggregates(self) -> list[str]:
        return [self._aggregate() for _ in range(self.rng.randrange(1, 4))]

    def _aggregate(self) -> str:
        pick = self.rng.choice
        narrowed = f" FILTER (WHERE {self._simple()})" if self.rng.random() < 0.2 else ""
        return (
            pick(
                [
                    "COUNT(*)",
                    f"COUNT({pick(list(COLUMNS))})",
                    f"COUNT(DISTINCT {pick(list(COLUMNS))})",
                    f"MIN({pick(list(COLUMNS))})",
                    f"MAX({pick(list(COLUMNS))})",
                    f"SUM({pick((*NUMBERS, 'flag'))})",
                    f"AVG({pick(NUMBERS)})",
                    f"SUM(DISTINCT {pick(WHOLE)})",
                    f"COUNT_IF({self._simple()})",
                    f"SUM(CASE WHEN {self._simple()} THEN 1 ELSE 0 END)",
                    f"AVG(({self._simple()})::INT)",
                    f"MAX(CASE WHEN {self._simple()} THEN {pick(list(COLUMNS))} END)",
                    f"SUM({pick(('pay', 'hours', 'rate', 'pay * 2', 'hours + 1', '-hours'))})",
                    f"AVG({pick(('pay', 'hours', 'rate'))})",
                    f"COUNT({pick(('pay', 'hours'))})",
                    f"{pick(('MIN', 'MAX'))}({pick(('pay', 'hours', 'rate'))})",
                    f"SUM(CASE WHEN {self._simple()} THEN hours END)",
                ]
            )
            + narrowed
        )

    def _condition(self) -> str:
        terms = [self._simple() for _ in range(self.rng.randrange(1, 3))]
        return self.rng.choice([" AND ", " OR "]).join(f"({term})" for term in terms)

    def _simple(self) -> str:
        pick, n = self.rng.choice, self.rng.randrange(1, 20)
        return pick(
            [
                f"{pick(WHOLE[:4])} {pick(('<', '>', '<=', '<>'))} {n}",
                f"num BETWEEN {n} AND {n + 15}",
                f"dec >= {n / 4}",
                f"huge > {n}0000000000000000000000000000",
                f"mood {pick(('=', '<', '>='))} '{pick(('sad', 'ok', 'happy', 'Zen'))}'",
                f"nocase {pick(('=', '<', '>'))} '{pick('aAbBc')}'",
                f"txt {pick(('LIKE', 'ILIKE', 'NOT LIKE'))} '{pick(('%a%', '%s', 'Ü%', '_'))}'",
                f"txt SIMILAR TO '{pick(('a|B', '[aB].*'))}'",
                "txt IN ('a', 'it''s', 'ß')",
                "flag",
                "NOT flag",
                f"{pick(list(COLUMNS))} IS {pick(('', 'NOT '))}NULL",
                f"day > DATE '1999-12-31' + {n}",
                f"ts >= TIMESTAMP '2020-03-01 0{n % 10}:00:00'",
                "ts::DATE = DATE '2020-02-29'",
                f"extract(hour FROM ts) < {n}",
                f"date_part('dow', day) = {n % 7}",
                f"date_diff('day', day, DATE '2000-02-01') > {n}",
                f"uid::VARCHAR LIKE '%{n % 4}'",
                f"clock > TIME '10:0{n % 7}:00'",
                f"length(txt) = {n % 4}",
                f"if(flag, num > {n}, small > 3)",
                f"num % {n} = 1" if n else "true",
                "replace(txt, 'a', 'x') = 'x'",
                f"greatest(tiny, small) > {n % 5}",
                f"round(dbl, 1) > {n / 8}",
            ]
        )
