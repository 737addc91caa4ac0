"""ADBC: Arrow through COPY in binary, a parameter, the objects of the catalogue."""

import sys
from urllib.parse import quote

import adbc_driver_postgresql.dbapi as adbc

host, port, user, password = sys.argv[1:]
with adbc.connect(f"postgresql://{user}:{quote(password)}@{host}:{port}/staff?sslmode=disable", autocommit=True) as con:
    with con.cursor() as cursor:
        cursor.execute("SELECT sex, AVG(salary) AS mean, COUNT(*) AS n FROM staff GROUP BY sex")
        assert cursor.fetch_arrow_table().num_rows == 2
        cursor.execute("SELECT COUNT(*) FROM staff WHERE age > $1", (30,))
        assert cursor.fetchone()[0] > 0
    assert "salary" in str(con.adbc_get_objects(depth="columns", catalog_filter="staff").read_all().to_pylist())
print("ok")
