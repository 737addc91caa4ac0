"""odbc-postgresql through pyodbc: a question, parameters, tables and columns as Power BI asks for them, a denial."""

import sys

import pyodbc

host, port, user, password = sys.argv[1:]
con = pyodbc.connect(
    f"DRIVER={{PostgreSQL Unicode}};SERVER={host};PORT={port};DATABASE=staff;UID={user};PWD={password};SSLmode=disable",
    autocommit=True,
)
assert con.execute("SELECT COUNT(*) FROM staff").fetchone()[0] > 0
means = con.execute("SELECT sex, AVG(salary) FROM staff WHERE age > ? GROUP BY sex ORDER BY sex", 30).fetchall()
assert [row[0] for row in means] == ["F", "M"], means
names = [row.table_name for row in con.cursor().tables()]
assert {"staff", "dept_dim"} <= set(names), names
columns = [row.column_name for row in con.cursor().columns(table="staff")]
assert columns == ["sex", "age", "dept", "education", "salary"], columns
con.cursor().primaryKeys("staff").fetchall()
con.cursor().statistics("staff").fetchall()
try:
    con.execute("SELECT name FROM staff")
except pyodbc.Error as refused:
    assert refused.args[0] == "0A000", refused.args
else:
    raise AssertionError("an identifier was answered")
print("ok")
