"""Mutants of statements: trees with parts exchanged, and texts broken byte by byte."""

import random
import re

from ruamel.yaml import YAML
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from support.paths import CASES

READING = YAML(typ="safe").load(CASES / "attacks" / "reading.yaml")
SEEDS = [sql for all_of in READING.values() for sql in all_of if "{" not in sql]
HONEST = [
    "SELECT COUNT(*), AVG(salary) FROM staff WHERE age BETWEEN 30 AND 50 AND sex = 'F'",
    "SELECT dept, SUM(salary), MIN(age) FROM staff GROUP BY dept HAVING COUNT(*) > 3 ORDER BY 2 DESC LIMIT 3",
    "SELECT education, AVG(salary) FILTER (WHERE age > 40) FROM staff GROUP BY ROLLUP (education)",
    "SELECT campus, SUM(CASE WHEN sex = 'F' THEN salary ELSE 0 END) FROM staff JOIN dept_dim USING (dept) GROUP BY ALL",
    "WITH a AS (SELECT dept, AVG(salary) AS m FROM staff GROUP BY dept) SELECT * FROM a JOIN dept_dim USING (dept)",
    "SELECT age // 10 AS decade, COUNT(*) AS n, SUM(salary * 12) / 9 FROM staff WHERE dept LIKE 'S%' GROUP BY decade",
    "SELECT SUM(salary) FROM staff WHERE dept IN (SELECT dept FROM dept_dim WHERE campus = 'Hill') UNION ALL SELECT 1",
    "SELECT rank() OVER (ORDER BY AVG(salary)), sex FROM staff GROUP BY sex QUALIFY count(*) OVER () > 0",
]
WORDS = [
    "salary",
    "name",
    "id",
    "staff",
    "dept",
    "age",
    "rowid",
    "*",
    "NULL",
    "''",
    "1",
    "0x7",
    "1e309",
    "-1",
    "$1",
    "?",
]
STRANGE = "'\"();,.*=<>-/\\$#@:[]{}%|&~!?\0\t\n\x1a\u200b\u00a0\u202e\ufeffſaffſＳ"
BYTES = [*STRANGE, "--", "/*", "*/", "::", ".*", "||", "$$"]
FUNCTIONS = [
    "list",
    "max",
    "first",
    "any_value",
    "string_agg",
    "to_json",
    "hash",
    "error",
    "mode",
    "unnest",
    "sum",
    "count",
]


VARIATIONS = [
    *(("sex", "dept"), ("AVG", "SUM"), (" AND ", " OR "), (">", "<="), ("dept", "education")),
    *(("GROUP BY dept", "GROUP BY dept, sex"), ("SUM(", "COUNT("), ("= 'F'", "<> 'F'")),
]


def swapped(sql: str, rng: random.Random) -> str:
    """Change a statement's tree: put names, functions and whole parts where others were."""
    try:
        tree = parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return sql
    for _ in range(rng.randrange(1, 4)):
        nodes = [node for node in tree.walk() if node.parent is not None]
        if not nodes:
            break
        node = rng.choice(nodes)
        other = parse_one(rng.choice(HONEST), read="duckdb")
        parts = [part for part in other.walk() if type(part) is type(node)] or [exp.column(rng.choice(WORDS[:6]))]
        new: exp.Expr = rng.choice(
            [
                rng.choice(parts).copy(),
                exp.column(rng.choice(WORDS[:6])),
                exp.func(rng.choice(FUNCTIONS), exp.column("salary")),
                exp.func(rng.choice(FUNCTIONS), node.copy()),
                exp.Subquery(this=parse_one(rng.choice(["SELECT salary FROM staff", "SELECT 1"]), read="duckdb")),
            ]
        )
        node.replace(new)
    try:
        return tree.sql("duckdb")
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, KeyError):
        return sql  # a tree that cannot be written


def broken(sql: str, rng: random.Random) -> str:
    """Change a statement's text: delete, double, insert, exchange."""
    text = list(sql)
    for _ in range(rng.randrange(1, 5)):
        at, kind = rng.randrange(len(text) + 1), rng.randrange(5)
        if kind == 0:
            del text[at : at + rng.randrange(1, 6)]
        elif kind == 1:
            text[at:at] = text[at : at + rng.randrange(1, 12)]
        elif kind == 2:
            text[at:at] = [rng.choice(BYTES)]
        elif kind == 3:
            text[at:at] = f" {rng.choice(WORDS)} "
        elif at < len(text):
            text[at] = chr(ord(text[at][0]) ^ (1 << rng.randrange(7)))
    return "".join(text)


def varied(sql: str, rng: random.Random) -> str:
    """Change only numbers, operators and names of attributes: most of these are understood."""
    sql = re.sub(r"\b[0-9]+\b", lambda _: str(rng.choice([0, 1, 2, 10, 30, 40, 50, 60, 70, 100_000])), sql)
    for old, new in rng.sample(VARIATIONS, 3):
        sql = sql.replace(old, new, rng.randrange(2))
    return sql


def mutant(rng: random.Random) -> str:
    """Draw a statement, and change it."""
    if rng.random() < 0.2:
        return varied(rng.choice(HONEST), rng)
    sql = rng.choice(HONEST) if rng.random() < 0.6 else str(rng.choice(SEEDS))
    for _ in range(rng.randrange(1, 3)):
        sql = swapped(sql, rng) if rng.random() < 0.5 else broken(sql, rng)
    return sql
