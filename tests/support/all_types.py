"""A table with a column of every type, and honest statements about it, drawn at random."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

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
NOCASE = {"a", "A", "b", "B", "c"}
WHOLE = ("tiny", "small", "num", "big", "huge", "utiny", "ubig")
NUMBERS = (*WHOLE, "dec", "dec38", "real", "dbl")
DATES = ("day", "ts")
FINE = ("num", "utiny", "day", "ts")  # columns with few records for a value


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


@dataclass(frozen=True)
class Drawn:
    """A statement, how many of its first columns ORDER BY puts in order, and the columns whose letter case is open.

    Of texts that a collation takes as equal, DuckDB shows whichever it met first.
    """

    sql: str
    ordered: int = 0
    any_case: frozenset[int] = frozenset()
    sizes: str = "SELECT 1"
    """A statement for the records in each query set: none may be empty, whatever the policy."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate, and the condition of the records that it is about."""

    sql: str
    about: str = "true"

    def narrowed(self, condition: str) -> "Aggregate":
        """Return the aggregate with a FILTER."""
        return Aggregate(f"{self.sql} FILTER (WHERE {condition})", f"({self.about}) AND ({condition})")


class Statements:
    """Draws statements that plain DuckDB answers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - no secret

    def drawn(self, number: int) -> Iterator[Drawn]:
        """Yield so many statements."""
        for _ in range(number):
            kind = self.rng.random()
            yield self._public() if kind < 0.1 else self._whole() if kind < 0.4 else self._grouped()

    def _whole(self) -> Drawn:
        """Aggregates over one set: as they are, beside others, in a CTE, or in an expression."""
        asked, where, form = self._aggregates(), self._where(), self.rng.randrange(6)
        listed = [each.sql for each in asked]
        sql, sizes, free = f"SELECT {', '.join(listed)} {where}", _sizes(asked, where), _open(listed)
        if form == 0:
            other = self._where()
            more = f"{sizes} UNION ALL {_sizes(asked, other)}"
            return Drawn(f"{sql} UNION ALL SELECT {', '.join(listed)} {other}", 0, free, more)
        if form == 1:
            return Drawn(f"WITH a AS ({sql}) SELECT * FROM a", 0, free, sizes)
        if form == 2:
            sizes = _sizes(asked[:1], "FROM kinds")
            sql = f"SELECT (SELECT {listed[0]} FROM kinds) AS x, count(*) AS n FROM dims"
            return Drawn(sql, 0, _open(listed[:1]), sizes)
        return Drawn(sql, 0, free, sizes)

    def _where(self) -> str:
        return "FROM kinds" + (f" WHERE {self._condition()}" if self.rng.random() < 0.6 else "")

    def _grouped(self) -> Drawn:
        keys = list(dict.fromkeys(self._key() for _ in range(self.rng.randrange(1, 3))))
        fine = len(keys) > 1 or keys[0] in FINE  # groups of one record: nothing confidential is asked of them
        asked = [self._public_column() for _ in range(self.rng.randrange(1, 4))] if fine else self._aggregates()
        aggregates, where = [each.sql for each in asked], self._where()
        listed = ", ".join([*(f"{key} AS k{n}" for n, key in enumerate(keys)), *aggregates])
        positions = ", ".join(str(n + 1) for n in range(len(keys)))
        names = ", ".join(f"k{n}" for n in range(len(keys)))
        all_of = ", ".join(keys)
        sets = [f"ROLLUP ({all_of})", f"CUBE ({all_of})", f"GROUPING SETS (({all_of}), ({keys[0]}))"]
        by = self.rng.choice([positions, "ALL", "ALL", all_of, names, *sets])
        having = self.rng.choice(["", "", "", " HAVING COUNT(*) > 2", "" if fine else " HAVING SUM(hours) > 40"])
        order = ", ".join(f"k{n} {self.rng.choice(['', 'DESC', 'NULLS FIRST'])}" for n in range(len(keys)))
        unique = by in {positions, all_of} and "nocase" not in all_of
        limit = f" LIMIT {self.rng.randrange(1, 9)}" if unique and self.rng.random() < 0.3 else ""
        sql = f"SELECT {listed} {where} GROUP BY {by}{having} ORDER BY {order}{limit}"
        free = _open([key if by != "ALL" else "" for key in keys] + aggregates)
        sizes = _sizes(asked, f"{where} GROUP BY {by if by in sets else all_of}")
        if self.rng.random() < 0.15:
            sql = f"SELECT * FROM ({sql}) AS t ORDER BY {order}"
        return Drawn(sql, len(keys), free, sizes)

    def _public(self) -> Drawn:
        column = self.rng.choice(list(COLUMNS))
        open_ = frozenset({0}) if column == "nocase" else frozenset[int]()
        return self.rng.choice(
            [
                Drawn(f"SELECT {column}, count(*) FROM dims GROUP BY {column} ORDER BY {column} NULLS FIRST", 1, open_),
                Drawn(
                    f"SELECT min({column}), max({column}), count({column}) FROM dims "
                    f"WHERE num > {self.rng.randrange(30)}",
                    0,
                    open_ | {1} if open_ else open_,
                ),
                Drawn(f"SELECT id, {column} FROM dims ORDER BY {column}, id LIMIT {self.rng.randrange(1, 50)}", 2),
            ]
        )

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

    def _aggregates(self) -> list[Aggregate]:
        found = [
            self._conditional() if self.rng.random() < 0.25 else self._plain() for _ in range(self.rng.randrange(1, 4))
        ]
        return [each.narrowed(self._simple()) if self.rng.random() < 0.1 else each for each in found]

    def _plain(self) -> Aggregate:
        pick = self.rng.choice
        if self.rng.random() < 0.6:
            return self._public_column()
        return pick(
            [
                Aggregate(f"SUM({pick(('pay', 'hours', 'rate', 'pay * 2', 'hours + 1', '-hours'))})"),
                Aggregate(f"AVG({pick(('pay', 'hours', 'rate'))})"),
                Aggregate(f"COUNT({pick(('pay', 'hours'))})"),
                Aggregate(f"{pick(('MIN', 'MAX'))}({pick(('pay', 'hours', 'rate'))})"),
            ]
        )

    def _public_column(self) -> Aggregate:
        pick = self.rng.choice
        column, number, whole = pick(list(COLUMNS)), pick(NUMBERS), pick(WHOLE)
        return pick(
            [
                Aggregate("COUNT(*)"),
                *(Aggregate(f"{each}({column})", f"{column} IS NOT NULL") for each in ("COUNT", "MIN", "MAX")),
                Aggregate(f"COUNT(DISTINCT {column})", f"{column} IS NOT NULL"),
                *(Aggregate(f"{each}({number})", f"{number} IS NOT NULL") for each in ("SUM", "AVG")),
                Aggregate(f"SUM(DISTINCT {whole})", f"{whole} IS NOT NULL"),
                Aggregate("SUM(flag)", "flag IS NOT NULL"),
            ]
        )

    def _conditional(self) -> Aggregate:
        about, column = self._simple(), self.rng.choice(list(COLUMNS))
        held = "flag" if column == "flag" else f"{column} IS NOT NULL"  # a CASE that is true or false is a condition
        return self.rng.choice(
            [
                Aggregate(f"COUNT_IF({about})", about),
                Aggregate(f"SUM(CASE WHEN {about} THEN 1 ELSE 0 END)"),
                Aggregate(f"AVG(({about})::INT)", f"({about}) IS NOT NULL"),
                Aggregate(f"MAX(CASE WHEN {about} THEN {column} END)", f"({about}) AND {held}"),
                Aggregate(f"SUM(CASE WHEN {about} THEN hours END)", about),
            ]
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


def _open(listed: list[str]) -> frozenset[int]:
    """Return the columns that a collated text may come out of."""
    return frozenset(n for n, each in enumerate(listed) if "nocase" in each)


def _sizes(asked: list[Aggregate], source: str) -> str:
    """Return a statement for the records in the query set of each aggregate, least first."""
    counted = ", ".join(["count(*)", *(f"count(*) FILTER (WHERE {each.about})" for each in asked)])
    return f"SELECT least({counted}) AS size {source}"
