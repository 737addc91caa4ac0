"""The auditor: what a query log reveals about whom, proved by the queries themselves."""
