"""Risk and utility of a table or of a protected view: exposure, comparison, patterns, parameter sweeps."""
