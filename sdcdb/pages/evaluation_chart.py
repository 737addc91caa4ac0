"""Pictures of an evaluation, like Figures 2 and 4 of the CAE paper (2014)."""

from collections.abc import Sequence
from typing import Any

from sdcdb.evaluate.summary import Line
from sdcdb.pages.plots import Panel, Picture, Row, altair
from sdcdb.pages.theme import ORDERED, SERIES

WIDTH, HEIGHT = 270, 190
_MEASURES = {"h0": "H(0), bits", "area": "area, bits x {unit}"}


def chart(lines: Sequence[Line], unit: str, title: str) -> Picture:
    """Draw a row per technique: H(0) and area against known attributes, then against the amount, utility falling."""
    measures = {name: _axis(lines, name, words.format(unit=unit)) for name, words in _MEASURES.items()}
    techniques = dict.fromkeys(line.technique for line in lines)
    return Picture(title, [_row(technique, lines, measures) for technique in techniques])


def _row(technique: str, lines: Sequence[Line], measures: dict[str, Any]) -> Row:
    alt = altair()
    shown = sorted((line for line in lines if line.technique == technique), key=_falling)
    values = alt.Data(values=_values(shown))
    drawn = alt.Chart(values, width=WIDTH, height=HEIGHT).mark_line(point=True, strokeWidth=2)

    amounts = [line.amount for line in shown]
    by_amount = {amount: SERIES[n % len(SERIES)] for n, amount in enumerate(amounts)}
    known = alt.X("known:Q", title="known attributes", axis=alt.Axis(format="d", tickMinStep=1))
    panels = [
        Panel(drawn.encode(x=known, y=measure, color=_colour("amount:N", by_amount)), key=by_amount)
        for measure in measures.values()
    ]
    if len(shown) > 1:
        numbers = sorted({point.known for line in shown for point in line.points})
        by_known = {f"{number} known": ORDERED[n % len(ORDERED)] for n, number in enumerate(numbers)}
        amount = alt.X("amount:N", sort=amounts, title="utility falls to the right", axis=alt.Axis(labelAngle=0))
        panels += [
            Panel(drawn.encode(x=amount, y=measure, color=_colour("number:N", by_known)), key=by_known)
            for measure in measures.values()
        ]
    return Row(panels, technique)


def _colour(field: str, key: dict[str, str]) -> Any:
    alt = altair()
    scale = alt.Scale(domain=list(key), range=list(key.values()))
    return alt.Color(field, title=None, sort=list(key), scale=scale)


def _axis(lines: Sequence[Line], measure: str, title: str) -> Any:
    """Return an axis that ends at the same place for all techniques, so that they can be compared by eye."""
    alt = altair()
    top = max((getattr(p, measure) for line in lines for p in line.points), default=0.0) * 1.05 or 1.0
    return alt.Y(f"{measure}:Q", title=title, axis=alt.Axis(format="~s"), scale=alt.Scale(domain=[0, top]))


def _falling(line: Line) -> float:
    """Order by falling utility; a technique that changed nothing has the most."""
    return float("-inf") if line.utility is None else -line.utility


def _values(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [
        {"amount": line.amount, "known": p.known, "number": f"{p.known} known"}
        | {"h0": round(p.h0, 6), "area": round(p.area, 6)}
        for line in lines
        for p in line.points
    ]
