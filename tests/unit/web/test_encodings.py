"""An answer in the types that clients ask for."""

import io
import json
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from sdcdb.gateway.answer import Answer
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.web.encodings import ARROW, CSV, JSON, chosen, encoded

ANSWER = Answer(
    ("dept", "n", "mean", "day"),
    ("VARCHAR", "BIGINT", "DECIMAL(9,2)", "DATE"),
    (('Läden "x"', 12, Decimal("3.10"), date(2026, 1, 31)), (None, None, None, None)),
    Verdict("suppress", "size", "too small", suppressed=1),
    merged=(1,),
)
SQL = "SELECT dept, COUNT(*) AS n, AVG(x) AS mean, MIN(d) AS day FROM t GROUP BY dept"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [("", JSON), ("*/*", JSON), ("text/csv", CSV), ("text/*", CSV), (ARROW, ARROW), ("text/html", None),
     ("text/csv;q=0.2, application/json;q=0.9", JSON), ("application/json;q=0, text/csv;q=0.1", CSV), ("a;q=x", None)],
)  # fmt: skip
def test_the_accept_header_chooses(accept: str, kind: str | None) -> None:
    assert chosen(accept) == kind


def test_json_keeps_decimals_exact_and_dates_as_text() -> None:
    body = json.loads(bytes(encoded(ANSWER, SQL, JSON).body))
    assert body["rows"] == [['Läden "x"', 12, "3.10", "2026-01-31"], [None, None, None, None]]
    assert body["verdict"]["suppressed"] == 1
    assert body["merged"] == [1]


def test_csv_marks_what_is_not_shown() -> None:
    text = bytes(encoded(ANSWER, SQL, CSV).body).decode()
    assert text == 'dept,n,mean,day\n"Läden ""x""",12,3.10,2026-01-31\n*,*,*,*\n'


def test_arrow_keeps_types_and_falls_back_to_text() -> None:
    table = pa.ipc.open_stream(io.BytesIO(bytes(encoded(ANSWER, SQL, ARROW).body))).read_all()
    assert table.column("mean").to_pylist() == [Decimal("3.10"), None]
    assert table.column("day").type == pa.date32()
    huge = Answer(("x",), ("HUGEINT",), ((2**100,), (None,)), Verdict("allow"))
    back = pa.ipc.open_stream(io.BytesIO(bytes(encoded(huge, "SELECT 1", ARROW).body))).read_all()
    assert back.column("x").to_pylist() == [str(2**100), None]
