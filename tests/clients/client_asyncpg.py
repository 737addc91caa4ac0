"""asyncpg: binary both ways, prepared statements, a cursor, a denial."""

import asyncio
import sys

import asyncpg

host, port, user, password = sys.argv[1:]


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
    await con.close()


asyncio.run(main())
print("ok")
