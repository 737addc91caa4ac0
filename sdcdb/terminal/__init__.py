"""Text for people at a terminal: tables, progress, manual pages. Takes results; computes none."""
