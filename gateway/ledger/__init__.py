"""The ledger: what was asked and answered, on disk before an answer leaves. Append-only, hash-chained, durable."""
