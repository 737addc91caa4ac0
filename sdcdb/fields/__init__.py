"""Typed values that policies, plans and trees are written in. Imports nothing of sdcdb but errors."""
