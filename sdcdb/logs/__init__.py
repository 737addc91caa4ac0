"""Readers of query logs: any of the formats in `sdcdb.logs.formats`, streamed as `LoggedQuery` and `LogProblem`."""
