"""The second room: a DuckDB instance that holds only what may be seen."""
