"""Comparing techniques by CAE, as section 5 of the CAE paper (2014) does: who is how safe, at what utility."""
