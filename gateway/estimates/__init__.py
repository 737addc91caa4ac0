"""Estimates from a protected view, with their standard errors: what is answered where the exact answer is denied."""
