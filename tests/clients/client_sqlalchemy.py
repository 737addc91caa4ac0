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
with engine.connect().execution_options(stream_results=True, max_row_buffer=100) as con:
    assert len(con.execute(sa.text("SELECT n FROM range(1000) t(n)")).fetchall()) == 1000  # a cursor on the server
portions = list(pd.read_sql("SELECT n FROM range(1000) t(n)", engine.connect(), chunksize=300))
assert [len(portion) for portion in portions] == [300, 300, 300, 100]
filtered = sa.select(sa.func.count()).select_from(staff).where(staff.c.dept.in_(["Sales", "Legal"]))
with engine.connect() as con:
    assert con.execute(filtered).scalar_one() > 0
assert {each["name"] for each in found.get_columns("dept_dim")} == {"dept", "campus"}
assert found.get_view_names() == []
assert found.get_sequence_names() == []
assert found.get_check_constraints("staff") == []
assert found.has_table("staff")
assert not found.has_table("nothere")
assert found.get_multi_columns(kind=sa.engine.reflection.ObjectKind.ANY)
print("ok")
