"""Pictures of an evaluation, like Figures 2 and 4 of the CAE paper (2014)."""

from collections.abc import Sequence
from typing import Any

from sdcdb.evaluate.summary import Line

WIDTH, HEIGHT = 250, 190
_MEASURES = {"h0": "H(0), bits", "area": "area, bits x {unit}"}


def chart(lines: Sequence[Line], unit: str, title: str) -> Any:
    """Draw a row per technique: H(0) and area against known attributes, then against the amount, utility falling."""
    import altair as alt  # `sdcdb.pages.plots.check_format` has said so if it is missing

    known = alt.X("known:Q", title="known attributes", axis=alt.Axis(format="d", tickMinStep=1))
    by_known = alt.Color("known:O", title="known", scale=alt.Scale(scheme="viridis"))
    measures = {
        name: alt.Y(
            f"{name}:Q",
            title=words.format(unit=unit),
            axis=alt.Axis(format="~s"),
            scale=alt.Scale(domain=[0, _top(lines, name)]),
        )
        for name, words in _MEASURES.items()
    }
    rows = []
    for technique in dict.fromkeys(line.technique for line in lines):
        mine = sorted((line for line in lines if line.technique == technique), key=_falling)
        amounts = [line.amount for line in mine]
        by_amount = alt.Color("amount:N", sort=amounts, title=None, scale=alt.Scale(scheme="tableau10"))
        amount = alt.X("amount:N", sort=amounts, title="utility falls to the right", axis=alt.Axis(labelAngle=0))
        drawn = (
            alt.Chart({"values": _values(mine)}, width=WIDTH, height=HEIGHT)
            .mark_line(point=True, strokeWidth=2)
            .encode(tooltip=["amount:N", "known:Q", "h0:Q", "area:Q"])
        )
        panels = [drawn.encode(x=known, y=measure, color=by_amount) for measure in measures.values()]
        if len(mine) > 1:
            panels += [drawn.encode(x=amount, y=measure, color=by_known) for measure in measures.values()]
        rows.append(alt.hconcat(*panels, title=alt.Title(technique, anchor="start")).resolve_scale(color="independent"))
    return (
        alt.vconcat(*rows, title=alt.Title(title, anchor="start", fontSize=16, offset=14))
        .resolve_scale(color="independent")
        .configure_view(stroke=None)
    )


def _top(lines: Sequence[Line], measure: str) -> float:
    """Return where all axes of a measure end, so that techniques can be compared by eye."""
    return max((getattr(p, measure) for line in lines for p in line.points), default=0.0) * 1.05 or 1.0


def _falling(line: Line) -> float:
    """Order by falling utility; a technique that changed nothing has the most."""
    return float("-inf") if line.utility is None else -line.utility


def _values(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [
        {"amount": line.amount, "known": p.known, "h0": round(p.h0, 6), "area": round(p.area, 6)}
        for line in lines
        for p in line.points
    ]
