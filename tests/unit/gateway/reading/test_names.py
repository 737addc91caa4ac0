"""Names are compared as DuckDB compares them: A to Z without regard to case, every other letter as it is."""

import duckdb
import pytest
from support.stages import Stages

from sdcdb.connection.identifiers import fold
from sdcdb.errors import Denied

PAIRS = [
    *(("Age", "AGE"), ("straße", "STRASSE"), ("straße", "STRAßE"), ("é", "É"), ("ſ", "s"), ("ſ", "S"), ("İ", "i")),
    *(("İ", "i\u0307"), ("\u212a", "k"), ("ı", "I"), ("ǆ", "Ǆ"), ("Σ", "ς"), ("ﬀ", "FF"), ("Ａ", "ａ")),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_names_fold_as_in_duckdb(one: str, other: str) -> None:
    with duckdb.connect() as con:
        con.execute(f'CREATE TABLE t ("{one}" INTEGER)')
        try:
            con.execute(f'SELECT "{other}" FROM t')
            same = True
        except duckdb.BinderException:
            same = False
    assert (fold(one) == fold(other)) is same


def test_a_letter_that_only_python_folds_names_another_column(stage: Stages) -> None:
    """With Python's rules, "ſalary" would be taken for salary here, and for something else by DuckDB."""
    gateway = stage(60, also='ALTER TABLE dept_dim ADD COLUMN "ſex" VARCHAR').gateway
    for name in ("ſalary", "\u017fex", "\u212aey"):
        with pytest.raises(Denied):
            gateway.ask(f'SELECT COUNT(*) FROM staff WHERE "{name}" IS NOT NULL')
    assert gateway.ask('SELECT COUNT("ſex") FROM dept_dim').rows == ((0,),)
    assert gateway.ask('SELECT COUNT(*) FROM "STAFF" WHERE "SEX" IS NOT NULL').rows == ((60,),)
