"""Counts of a confidential category: what all answers together let anybody conclude about one person's value."""
