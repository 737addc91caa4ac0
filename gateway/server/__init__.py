"""The server: one process that owns the database and the ledger, and the service that every door calls."""
