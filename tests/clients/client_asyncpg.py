"""asyncpg: binary both ways, every common type and lists of them, prepared statements, a cursor, COPY, a denial."""

import asyncio
import datetime as dt
import decimal
import io
import sys
import uuid

import asyncpg

host, port, user, password = sys.argv[1:]


UTC = dt.timezone.utc  # noqa: UP017 - reads better in the table below
VALUES = [
    ("bool", True),
    ("int2", -7),
    ("int4", 2**31 - 1),
    ("int8", 2**40),
    ("float4", 1.5),
    ("float8", 2.5),
    ("numeric", decimal.Decimal("12.340")),
    ("text", "naïve \N{GRINNING FACE}"),
    ("bytea", b"\x00\xff"),
    ("date", dt.date(2024, 2, 29)),
    ("time", dt.time(1, 2, 3, 4)),
    ("timetz", dt.time(1, 2, 3, tzinfo=UTC)),
    ("timestamp", dt.datetime(2024, 1, 2, 3, 4, 5, 6)),  # noqa: DTZ001 - without a zone
    ("timestamptz", dt.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
    ("interval", dt.timedelta(days=1, seconds=5)),
    ("uuid", uuid.UUID(int=7)),
]


async def types(con: "asyncpg.Connection") -> None:
    for kind, value in VALUES:
        for sent in (value, None):
            assert await con.fetchval(f"SELECT $1::{kind}", sent) == sent, kind
        for listed in ([value, None], []):
            assert await con.fetchval(f"SELECT $1::{kind}[]", listed) == listed, kind


async def main() -> None:
    con = await asyncpg.connect(host=host, port=int(port), user=user, password=password, database="staff", ssl=False)
    means = await con.fetch("SELECT sex, AVG(salary) AS mean, COUNT(*) AS n FROM staff WHERE age > $1 GROUP BY sex", 30)
    assert {row["sex"] for row in means} == {"F", "M"}
    try:
        await con.fetch("SELECT name FROM staff")
    except asyncpg.FeatureNotSupportedError as refused:
        assert refused.hint
    else:
        raise AssertionError("an identifier was answered")
    async with con.transaction():
        assert len([row async for row in con.cursor("SELECT n FROM range(250) r(n)", prefetch=50)]) == 250
    assert "sdcdb" in await con.fetchval("SELECT version()")
    await types(con)
    out = io.BytesIO()
    await con.copy_from_query("SELECT sex, COUNT(*) FROM staff GROUP BY sex", output=out, format="binary")
    assert out.getvalue().startswith(b"PGCOPY\n")
    await con.reload_schema_state()
    await con.reset()
    await con.close()


asyncio.run(main())
print("ok")
