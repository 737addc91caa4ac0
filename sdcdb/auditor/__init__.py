"""The auditor: what a query log tells about whom, proved by the queries themselves."""
