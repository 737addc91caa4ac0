"""What DuckDB gets."""
