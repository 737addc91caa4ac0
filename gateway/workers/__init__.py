"""Processes that run analysts' SQL: limits on time, memory, result and disk are enforced from outside."""
