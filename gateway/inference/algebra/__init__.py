"""Linear algebra for the audit: exact modulo primes, and fast in floating point."""
