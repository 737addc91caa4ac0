"""Which bits of a table's digests new draws get: as many as they can use, or fewer where that saves a whole digest.

A digest has 256 bits. Where the draws of one fit need a few more, two kinds can do with fewer: a rank, whose leading
bits decide all but ties, and pairs of normal numbers on coarse grids (docs/decisions/080). What fits anyway has what it
always had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from sdcdb.engines.expressions import DIGEST, LEAD, NARROW_PAIR, PAIR, WORD, Bits
from sdcdb.techniques.technique import Draws

UNIT = 8  # bits: every draw has a multiple of them
WIDTHS = {
    Draws.SMALL: 16,
    Draws.ONE: 32,
    Draws.TWO: 64,
    Draws.NORMAL: PAIR,
    Draws.COARSE_NORMAL: PAIR,
    Draws.RANK: 64,
}


def packed(given: Sequence[Bits], wanted: Mapping[str, Draws]) -> dict[str, Bits]:
    """Return bits for each place beside those that are given: the first layout that has the fewest digests."""
    layouts = [_laid_out(given, wanted, widths) for widths in _choices(wanted)]
    return min(layouts, key=lambda layout: _digests(layout.values()))  # of equal ones the first


def _choices(wanted: Mapping[str, Draws]) -> Iterator[dict[str, int]]:
    """Yield how wide each draw could be: all as they like first, then ranks narrow, then one pair after the other."""
    widths = {place: WIDTHS[draws] for place, draws in wanted.items()}
    yield widths
    widths = widths | {place: LEAD for place, draws in wanted.items() if draws is Draws.RANK}
    yield widths
    coarse = [place for place, draws in wanted.items() if draws is Draws.COARSE_NORMAL]
    for most in range(2, len(coarse) + 2, 2):
        yield widths | dict.fromkeys(coarse[:most], NARROW_PAIR)


def _laid_out(given: Sequence[Bits], wanted: Mapping[str, Draws], widths: Mapping[str, int]) -> dict[str, Bits]:
    found: dict[str, Bits] = {}
    for place in sorted(wanted, key=lambda place: -widths[place]):  # small ones fill the gaps
        normal = wanted[place] in (Draws.NORMAL, Draws.COARSE_NORMAL)
        found[place] = free_bits([*given, *found.values()], widths[place], pair=normal)
    return found


def free_bits(given: Sequence[Bits], width: int, *, pair: bool) -> Bits:
    """Return free bits: the second half of a pair of normals if one is left, else the first room inside a word.

    >>> half = Bits(0, 48)
    >>> [tuple(free_bits([half], width, pair=width == 48)) for width in (48, 16, 32)]
    [(0, 48, 1), (48, 16, 0), (64, 32, 0)]
    """
    if pair:
        whole = {bits.first for bits in given if bits.half}
        if alone := [bits for bits in given if bits.width == width and bits.first not in whole]:
            return Bits(alone[0].first, width, 1)
    taken = {unit for bits in given for unit in range(bits.first // UNIT, (bits.first + bits.width) // UNIT)}
    starts = (word * WORD + place for word in count() for place in range(0, WORD - width + 1, UNIT))
    return Bits(next(s for s in starts if taken.isdisjoint(range(s // UNIT, (s + width) // UNIT))), width)


def _digests(layout: Iterable[Bits]) -> int:
    return len({bits.first // DIGEST for bits in layout})
