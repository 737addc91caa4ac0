"""Data to try sdcdb on."""
