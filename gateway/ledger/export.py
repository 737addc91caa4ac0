"""Writing the flat table of a ledger to a CSV, JSON-lines or Parquet file, a batch at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from sdcdb.connection.atomic_file import written_whole
from sdcdb.errors import LedgerError, choices
from sdcdb.gateway.ledger.rows import Row

FORMATS = {".csv": "FORMAT csv, HEADER", ".jsonl": "FORMAT json", ".parquet": "FORMAT parquet"}
BATCH = 10_000


def export(rows: Iterable[Row], file: Path, *, replace: bool = False) -> int:
    """Write the rows to a new, private file, in the format that its name says; return how many.

    `replace` allows an existing file. DuckDB writes it, fed with Arrow batches, so that a long ledger never has to fit
    into memory.
    """
    import pyarrow as pa

    if file.suffix not in FORMATS:
        raise LedgerError(f"cannot tell the format of {file}: {choices(file.suffix, FORMATS)}")
    types = {"n": pa.int64(), "time": pa.timestamp("us")}  # in UTC; types with a zone need an extension
    schema = pa.schema([(field.name, types.get(field.name, pa.string())) for field in fields(Row)])
    done = 0

    def batches() -> Iterator[Any]:
        nonlocal done
        source = iter(rows)
        while taken := [astuple(row) for row in islice(source, BATCH)]:
            columns = zip(*taken, strict=True)
            arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)
            done += len(taken)

    with written_whole(file, replace=replace, private=True) as part, duckdb.connect() as con:  # DuckDB keeps its mode
        con.register("ledger_rows", pa.RecordBatchReader.from_batches(schema, batches()))
        target = exp.Literal.string(str(part)).sql("duckdb")
        try:
            con.execute(f"COPY (FROM ledger_rows) TO {target} ({FORMATS[file.suffix]}, USE_TMP_FILE false)")
        except duckdb.Error as problem:
            raise LedgerError(f"cannot write {file} (DuckDB says: {str(problem).splitlines()[0]})") from problem
    return done
