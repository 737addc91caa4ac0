"""What the policy says of columns that determine each other: `year = 12 * month`, or `net ~ gross`.

An equation holds in every record, exactly. `~` says that one column follows from the other, nearly or in whatever way.
"""

import re
from dataclasses import dataclass

_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NAME = r"(?P<{}>[^=~*+]+?|\"[^\"]+\")"
_EQUATION = re.compile(
    rf"\s*{_NAME.format('left')}\s*=\s*(?:(?P<factor>-?\s*{_NUMBER})\s*\*\s*)?{_NAME.format('right')}"
    rf"(?:\s*(?P<sign>[+-])\s*(?P<offset>{_NUMBER}))?\s*"
)


@dataclass(frozen=True)
class Equation:
    """left = factor * right + offset, in every record."""

    left: str
    right: str
    factor: float
    offset: float

    def __str__(self) -> str:
        times = "" if self.factor == 1 else f"{self.factor:.12g} * "
        plus = "" if self.offset == 0 else f" {'-' if self.offset < 0 else '+'} {abs(self.offset):.12g}"
        return f"{self.left} = {times}{self.right}{plus}"


@dataclass(frozen=True)
class Alike:
    """Columns of which one follows from the other in some way."""

    columns: tuple[str, ...]


def parse_link(text: str) -> Equation | Alike | None:
    """Read an entry of `linked:`; None if it is neither form.

    >>> parse_link("year = 12 * month"), parse_link("net ~ gross")
    (Equation(left='year', right='month', factor=12.0, offset=0.0), Alike(columns=('net', 'gross')))
    >>> str(parse_link("gross = -1.5 * net - 300")), parse_link("gross"), parse_link("a = 0 * b")
    ('gross = -1.5 * net - 300', None, None)
    """
    if "~" in text:
        names = tuple(_bare(name) for name in text.split("~"))
        return Alike(names) if len(names) > 1 and all(names) and len(set(names)) == len(names) else None
    found = _EQUATION.fullmatch(text)
    if found is None:
        return None
    factor = float((found["factor"] or "1").replace(" ", ""))
    offset = float(found["offset"] or 0) * (-1 if found["sign"] == "-" else 1)
    left, right = _bare(found["left"]), _bare(found["right"])
    return Equation(left, right, factor, offset) if factor != 0 and left != right else None


def _bare(name: str) -> str:
    return name.strip().removeprefix('"').removesuffix('"')
