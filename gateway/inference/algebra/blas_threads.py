"""Small matrices in one thread.

The library behind numpy's matrix products splits even small ones over all cores and then waits, spinning, for each
part. Beside a busy database a factorisation of 150 rows then takes a hundred times its own time.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController

LARGE = 2e10  # multiplications from which more cores are worth the wait


@lru_cache(maxsize=2)
def _controller(*, scipy: bool) -> ThreadpoolController:  # noqa: ARG001 - what is loaded later is not in an earlier one
    return ThreadpoolController()


@contextmanager
def threads_for(work: float) -> Iterator[None]:
    """Use one thread for matrix products of so many multiplications, unless they are very many."""
    if work >= LARGE:
        yield
        return
    with _controller(scipy="scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield
