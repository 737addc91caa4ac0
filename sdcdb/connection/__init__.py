"""Talking to DuckDB and to disk safely: connections, names, profiles, transactions, files that appear whole."""
