"""The rule `size`: query sets, and what they leave out, must be large enough."""


def large_enough(records: int, everybody: int, least: int) -> bool:
    """Tell whether a query set and its complement are large enough; an empty complement is not a small one.

    >>> large_enough(10, 100, 10), large_enough(95, 100, 10), large_enough(100, 100, 10)
    (True, False, True)
    """
    outside = everybody - records
    return records >= least and (outside == 0 or outside >= least)
