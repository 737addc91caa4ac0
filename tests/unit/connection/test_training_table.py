"""Reading a table of DuckDB for a tree."""

import duckdb
import numpy as np
import pytest

from sdcdb.connection.training_table import read_training_table
from sdcdb.errors import DatabaseError, DataError
from sdcdb.trees.table import Attribute, TrainingTable


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
    con.execute(
        "CREATE TABLE d AS SELECT i AS id, 'n' || i AS name, (i % 5)::SMALLINT AS small, i / 7 AS real, "
        "(i / 3)::DECIMAL(9, 2) AS dec, i % 2 = 0 AS flag, ['sad', 'ok', 'happy'][i % 3 + 1]::mood AS mood, "
        "DATE '2020-01-01' + (i % 4)::INTEGER AS day, CASE WHEN i % 10 = 0 THEN NULL ELSE 'k' || i % 3 END AS kind, "
        "i % 4 AS class FROM range(100) r(i)"
    )
    return con


def test_all_columns_but_keys_are_attributes(con: duckdb.DuckDBPyConnection) -> None:
    table = read_training_table(con, "d", None, "class")
    kinds = {attribute.name: attribute.kind for attribute in table.attributes}
    numbers = dict.fromkeys(["small", "real", "dec"], "number")
    categories = dict.fromkeys(["flag", "mood", "day", "kind", "class"], "category")
    assert kinds == numbers | categories
    assert table.attribute("small").whole
    assert not table.attribute("dec").whole


def test_values_are_texts_in_the_order_of_their_type(con: duckdb.DuckDBPyConnection) -> None:
    table = read_training_table(con, "d", ["mood", "flag"], "class")
    assert table.attribute("mood").values == ("sad", "ok", "happy")
    assert table.attribute("flag").values == ("false", "true")
    assert table.classes == ("0", "1", "2", "3")  # a class of numbers is a category
    assert [table.classes[code] for code in table.labels()[:5]] == ["0", "1", "2", "3", "0"]


def test_nulls_are_missing(con: duckdb.DuckDBPyConnection) -> None:
    table = read_training_table(con, "d", ["kind"], "class")
    assert (np.flatnonzero(table.column("kind") == -1) % 10 == 0).all()
    con.execute("INSERT INTO d (id, class) VALUES (1000, NULL)")
    again = read_training_table(con, "d", ["kind", "real"], "class")
    assert again.labels()[-1] == -1
    assert np.isnan(again.column("real")[-1])


def test_a_named_key_is_used(con: duckdb.DuckDBPyConnection) -> None:
    assert read_training_table(con, "d", ["ID", "name"], "CLASS").attributes[0] == Attribute("id", "number", whole=True)


def test_a_sample_is_the_same_for_the_same_seed(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE large AS SELECT i AS x, i % 2 AS class FROM range(30000) r(i)")
    reads = [read_training_table(con, "large", ["x"], "class", sample=500, seed=seed).column("x") for seed in (1, 1, 2)]
    assert [len(read) for read in reads] == [500] * 3
    assert np.array_equal(reads[0], reads[1])
    assert not np.array_equal(reads[0], reads[2])
    assert len(np.unique(reads[0])) == 500


def test_mistakes_are_explained(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(DataError, match="did you mean 'class'"):
        read_training_table(con, "d", None, "clas")
    with pytest.raises(DataError, match="no column 'x'"):
        read_training_table(con, "d", ["x"], "class")
    with pytest.raises(DatabaseError, match="no table"):
        read_training_table(con, "e", None, "class")
    con.execute("CREATE TABLE wide AS SELECT 'v' || i AS v, i % 2 AS class FROM range(5000) r(i)")
    with pytest.raises(DataError, match="'v' has more than 2,000 values"):
        read_training_table(con, "wide", None, "v")
    with pytest.raises(DataError, match="'v' has more than 2,000 values"):
        read_training_table(con, "wide", ["v"], "class")
    assert [a.name for a in read_training_table(con, "wide", None, "class").attributes] == ["class"]


def test_an_empty_table_has_no_records_and_no_classes(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE none AS FROM d LIMIT 0")
    table = read_training_table(con, "none", None, "class")
    assert (table.rows, table.classes) == (0, ())


def test_a_table_checks_its_columns() -> None:
    number, category = Attribute("n", "number"), Attribute("c", "category", ("a",))
    codes = np.zeros(2, np.int32)
    with pytest.raises(DataError, match="is a number"):
        TrainingTable((number,), (np.zeros(2),), "n")
    with pytest.raises(DataError, match="same length"):
        TrainingTable((number, category), (np.zeros(3), codes), "c")
    with pytest.raises(DataError, match="codes of 'c'"):
        TrainingTable((category,), (codes + 1,), "c")
    with pytest.raises(DataError, match="float64"):
        TrainingTable((number, category), (codes, codes), "c")
    with pytest.raises(DataError, match="same name"):
        TrainingTable((category, category), (codes, codes), "c")
