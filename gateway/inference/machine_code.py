"""Loops in machine code, by numba, which a process loads only when there is enough to do.

Loading numba, and the machine code that it kept, takes about a second of processor time. A question about a short
history takes a hundredth of that, so a loop can do without until the process has gone through `ENOUGH` numbers: in a
second form, in plain numpy, or where arrays are tiny in Python itself. A command that asks one question never loads
numba, a server does after some questions. All forms return the same, up to rounding, and which of them is used depends
on sizes alone, never on anybody's value.
"""

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")
Plain = TypeVar("Plain", bound=Callable[..., Any])

ENOUGH = 60_000_000
"""Numbers that numpy may go through in one process in place of machine code: about half a second."""
FEW = 4_000
"""Numbers that Python goes through in some thousandths of a second."""
CALL = 1_000  # what a call costs by itself, in numbers
BY_ITSELF = 50  # Python takes that many times longer than numpy


class _Done:
    """What this process has gone through without machine code."""

    numbers = 0


class Compiled(Generic[P, R]):
    """A function in machine code; other compiled functions can call it."""

    def __init__(self, function: Callable[P, R], few: int, *, any_order: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.few, self._any_order = few, any_order
        self.plain: Callable[P, R] | None = None

    def in_numpy(self, function: Plain) -> Plain:
        """Take a function as the form in plain numpy."""
        self.plain = function
        return function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what the function returns, in the form that is worth its while."""
        if "dispatcher" not in self.__dict__ and "numba" not in sys.modules and _Done.numbers < ENOUGH:
            numbers = sum(each.size for each in args if isinstance(each, np.ndarray))
            if self.plain is not None:
                _Done.numbers += CALL + numbers
                return self.plain(*args, **kwargs)
            if numbers <= self.few:
                _Done.numbers += CALL + BY_ITSELF * numbers
                return self.py_func(*args, **kwargs)
        return self.dispatcher(*args, **kwargs)

    @cached_property
    def dispatcher(self) -> Callable[P, R]:
        """The function as numba compiles it."""
        from numba import njit

        compiled: Callable[P, R] = njit(cache=True, nogil=True, fastmath=self._any_order)(self.py_func)
        return compiled

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this for where a compiled function calls it."""
        from numba import types

        return types.Dispatcher(self.dispatcher)


def machine_code(*, few: int = 0, any_order: bool = False) -> Callable[[Callable[P, R]], Compiled[P, R]]:
    """Compile a function when it is first worth it, and keep the machine code on disk.

    Python itself may go through arrays of up to `few` numbers in all: for loops that pass over them about once. In
    `any_order` sums are added up as is fastest.
    """
    return lambda function: Compiled(function, few, any_order=any_order)
