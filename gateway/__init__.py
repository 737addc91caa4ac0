"""The query path: SQL text -> facts -> rules -> ledger -> answer.

Nothing lives here yet; `sdcdb.gateway` is the import name that it will have.
"""
