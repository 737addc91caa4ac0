"""Measures of disclosure risk: pure functions on numpy arrays that know nothing of SQL, files or servers."""
