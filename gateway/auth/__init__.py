"""Who may come in, and what they may do: users, passwords as SCRAM verifiers, tokens, and access.

Imports the ledger's way of writing private files, and nothing else of the gateway but how names are compared.
"""
