"""The restricted tables: cells, the vault that computes them, versions, and what was answered about them."""
