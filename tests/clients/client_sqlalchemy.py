"""SQLAlchemy's inspector and pandas, as Superset and notebooks use them."""

import sys

import pandas as pd
import sqlalchemy as sa

host, port, user, password = sys.argv[1:]
engine = sa.create_engine(sa.URL.create("postgresql+psycopg", user, password, host, int(port), "staff"))
found = sa.inspect(engine)
assert "main" in found.get_schema_names()
assert set(found.get_table_names()) == {"staff", "dept_dim"}
columns = {each["name"]: each for each in found.get_columns("staff")}
assert list(columns) == ["sex", "age", "dept", "education", "salary"]
assert str(columns["salary"]["comment"]).startswith("confidential")
assert found.get_foreign_keys("staff") == found.get_indexes("staff") == found.get_unique_constraints("staff") == []
assert found.get_pk_constraint("staff")["constrained_columns"] == []
assert str(found.get_table_comment("staff")["text"]).startswith("restricted")
tables = sa.MetaData()
tables.reflect(engine)
staff = tables.tables["staff"]
with engine.connect() as con:
    asked = sa.select(staff.c.sex, sa.func.avg(staff.c.salary)).where(staff.c.age > 30).group_by(staff.c.sex)
    assert len(con.execute(asked).fetchall()) == 2
frame = pd.read_sql("SELECT sex, AVG(salary) AS mean FROM staff GROUP BY sex", engine)
assert list(frame.columns) == ["sex", "mean"]
print("ok")
