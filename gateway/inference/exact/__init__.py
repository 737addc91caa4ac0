"""The rule `exact`: which totals the answered sums determine."""
