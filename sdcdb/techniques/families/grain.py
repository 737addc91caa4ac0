"""The grain of noisy numbers: their last bits must not tell which original they come from.

A sum in floating point keeps marks of what was added: 300.1 - 299.9 lacks the last digits that 0.2 has, a number that
was wrapped lacks those of the one before, and the product of a number and a factor misses every second neighbour of
some numbers. Whoever knows that originals are whole can rule some of them out (Mironov 2012, "On significance of the
least significant bits"). So what is published is rounded to points that are public, lie a billion times closer
than the noise is large, and are thousands of times farther apart than the marks: every original reaches every point.
"""

import math

from sqlglot import exp

from sdcdb.engines.expressions import double, real

FINE = 30  # bits: without a grid of its own, a number is rounded to 2^-30 of its noise, and up to 2^-31
OWN = 40  # bits: a grid finer than 2^-40 of the noise is made coarser; draws have 53 and more
_LARGEST = 48  # bits: points of a domain, so that whole numbers of them are exact in a DOUBLE
_LEAST = 1e-250  # of noise: far above where a DOUBLE ends


def grain_of(noise: float, domain: tuple[float, float] | None) -> float:
    """Return the distance of the points for noise of this size: a power of two, or one of these shares of a domain.

    >>> grain_of(1.0, None) == 2.0**-30, grain_of(1000.0, (0.0, 1000.0)) == 1000 * 2.0**-30
    (True, True)
    """
    size = max(noise, _LEAST)
    if domain is None:
        return 2.0 ** (math.frexp(size)[1] - 1 - FINE)
    width = domain[1] - domain[0]
    return math.ldexp(width, -points_bits(size / width))


def points_bits(share: float) -> int:
    """Return n for a range of 2^n points whose noise is this share of its width.

    >>> points_bits(1.0), points_bits(0.3333), points_bits(1e-12)
    (30, 32, 48)
    """
    return min(_LARGEST, max(0, FINE + math.ceil(-math.log2(share))))


def coarser(step: float, noise: float) -> float:
    """Return the step, or its multiple by a power of two that is not below 2^-40 of the noise.

    >>> coarser(0.01, 1e9), coarser(1.0, 2.0**50)
    (0.01, 1024.0)
    """
    return step * 2.0 ** max(0, math.ceil(math.log2(noise / step)) - OWN)


def whole(value: exp.Expr) -> exp.Expr:
    """Round to the nearest whole number, halves to even, in two additions; all stays DOUBLE, and nothing overflows.

    From 2^51 on, a DOUBLE has hardly any digits behind the point, and loses what is left of them.
    """
    return on_grain(value, 1.0)


def on_grain(value: exp.Expr, grain: float) -> exp.Expr:
    """Round to the nearest multiple of a power of two; of larger ones where the number is beyond 2^51 of them."""
    shift = 1.5 * 2.0**52 * grain
    return exp.Paren(this=exp.Paren(this=value + real(shift)) - real(shift))


def single(value: exp.Expr) -> exp.Expr:
    """Round to 24 binary digits, and keep a DOUBLE."""
    return double(exp.cast(value, "FLOAT"))
