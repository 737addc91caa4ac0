"""Decision trees: grown from columns of numbers and codes, kept as frozen models, applied in Python and in SQL."""
