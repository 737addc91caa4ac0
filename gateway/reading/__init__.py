"""From SQL text to facts: blocks, query sets and aggregates. Nothing is executed here."""
