"""Whole numbers: how far a real solution must be moved to become one on the column's grid (rounding margins)."""
