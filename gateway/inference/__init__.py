"""The audit: what all answers together tell about one record of one confidential column.

Pure mathematics on numpy arrays: no SQL, no files. A table is given as *cells* with a number of records each; a query
set is a set of cells; an answer is the exact SUM, MIN or MAX of the confidential column over a query set. `Knowledge`
holds what has been answered and decides, without looking at the true answer, whether one more answer is safe;
`bounds` gives the interval that a list of sums leaves for every record, and `ranges` the same for sums
over ranges of records in one order, all at once.
"""
