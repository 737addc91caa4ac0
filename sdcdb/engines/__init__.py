"""Where plans run: how each engine spells the few functions that sqlglot does not translate."""
