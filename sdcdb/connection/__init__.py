"""Safe access to DuckDB and to disk: connections, names, profiles, transactions, atomic files."""
