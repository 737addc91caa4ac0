"""From a log to evidence: who asked what, which statements read a restricted table, and what they revealed."""
