"""How every page and picture looks: colours for light and dark, one stylesheet, one frame, one table, one escape.

Pictures are drawn in the light colours. A style sheet replaces them where a reader prefers dark, so that programs which
know no style sheets show the light picture.
"""

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FONT = "Helvetica, Arial, sans-serif"  # of pictures: their texts are measured when they are drawn

INK, SOFT, LINE, PAPER, CARD, EDGE = "#1b1f24", "#57606a", "#d8dee4", "#ffffff", "#f6f8fa", "#8c959f"
BLUE, ORANGE, GREEN, PURPLE, RED = "#2f6fb5", "#d9730d", "#2e8540", "#8250a8", "#c62828"
TEAL, YELLOW, BROWN, PINK, GREY = "#1b8a8a", "#b59f00", "#8a5a3c", "#c9518c", "#6e7781"
BAD, WARN, GOOD = RED, ORANGE, GREEN

SERIES = (BLUE, ORANGE, GREEN, PURPLE, RED, TEAL, YELLOW, BROWN, PINK, GREY)  # next to each other easy to tell apart
ORDERED = (BLUE, TEAL, GREEN, YELLOW, ORANGE, RED, PINK, PURPLE, BROWN, GREY)  # from cool to hot
BEFORE, AFTER = BLUE, ORANGE

DARK = {
    INK: "#e6edf3",
    SOFT: "#9198a1",
    LINE: "#30363d",
    PAPER: "#14181d",
    CARD: "#1c2128",
    EDGE: "#767e88",
    BLUE: "#6cb2f5",
    ORANGE: "#ffa657",
    GREEN: "#6fcf79",
    PURPLE: "#c9a2f0",
    RED: "#ff6b60",
    TEAL: "#56d4d4",
    YELLOW: "#e3cf5b",
    BROWN: "#d1a583",
    PINK: "#ff9ac7",
    GREY: "#a3abb5",
}
NAMES = {
    "ink": INK, "soft": SOFT, "line": LINE, "paper": PAPER, "card": CARD, "bad": BAD, "warn": WARN, "good": GOOD,
    "same": BLUE,
}  # fmt: skip

_LIGHT_NAMES = " ".join(f"--{name}: {colour};" for name, colour in NAMES.items())
_DARK_NAMES = " ".join(f"--{name}: {DARK[colour]};" for name, colour in NAMES.items())
_DARK_DRAWN = "\n".join(
    f'[fill="{light}"] {{ fill: {dark}; }} [stroke="{light}"] {{ stroke: {dark}; }}' for light, dark in DARK.items()
)
DARK_PICTURE = f"@media (prefers-color-scheme: dark) {{\n{_DARK_DRAWN}\n}}"

STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT_NAMES} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK_NAMES} }} }}
{DARK_PICTURE}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 64rem; padding: 1.5rem clamp(.5rem, 4vw, 2rem) 3rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }}
h1 {{ font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }} h2 {{ font-size: 1.2rem; margin: 2.25rem 0 .5rem; }}
h3 {{ font-size: 1rem; margin: 1.5rem 0 .4rem; }} p {{ margin: .3rem 0 .8rem; max-width: 52rem; }}
p.search {{ max-width: none; }}
.soft {{ color: var(--soft); }} .bad {{ color: var(--bad); }} .good {{ color: var(--good); }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.5rem), 1fr)); gap: .75rem;
  margin: 1rem 0; }}
.cards div {{ background: var(--card); border-radius: 8px; padding: .6rem .9rem; }}
.cards b {{ display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }}
.wide {{ overflow-x: auto; margin: .5rem 0 1rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .35rem 0 .35rem 1.25rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }}
th {{ color: var(--soft); font-weight: 600; vertical-align: bottom; }} td.n, th.n {{ text-align: right; }}
td.n {{ white-space: nowrap; }} td.long {{ min-width: 14rem; }} td.code {{ min-width: 16rem; }}
th:first-child, td:first-child {{ position: sticky; left: 0; padding-left: 0; padding-right: .5rem; max-width: 60vw;
  background: var(--paper); }}
code, pre {{ font: .85em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }}
pre {{ background: var(--card); border-radius: 8px; padding: 1rem; white-space: pre-wrap; }}
.grid {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem;
  margin: .75rem 0; }}
figure {{ margin: .75rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }}
.grid figure {{ margin: 0; }} figcaption {{ font-weight: 600; margin-bottom: .35rem; }}
figure svg {{ display: block; }} figure.chart > svg {{ height: auto; }}
figure.plot {{ border: 0; border-radius: 0; padding: 0; }}
figure.plot > svg {{ width: 100%; min-width: 9rem; overflow: visible; font: 12px {FONT}; }}
.legend {{ margin: .25rem 0; max-width: none; color: var(--soft); font-size: .85rem; }}
.legend span {{ display: inline-block; margin-right: 1rem; }}
.legend [role=button] {{ cursor: pointer; }} .legend [aria-pressed=false] {{ opacity: .45; }}
figure svg .off {{ visibility: hidden; }}
.said {{ margin: .35rem 0 0; max-width: none; min-height: 1.5em; color: var(--soft); font-size: .85rem; }}
.legend svg {{ display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; }}
@media (max-width: 40rem) {{
  .dense, .statements thead {{ display: none; }}
  .statements tr {{ display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: .4rem 0;
    border-bottom: 1px solid var(--line); }}
  .statements td {{ position: static; min-width: 0; padding: 0; border: 0; }}
  .statements td.code, .statements td.long {{ flex-basis: 100%; }}
  .statements td[data-name]::before {{ content: attr(data-name) " "; color: var(--soft); font-size: .85rem; }}
}}
input[type=search] {{ width: 100%; padding: .55rem .75rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; }}
details {{ border-bottom: 1px solid var(--line); padding: .4rem 0; }} summary {{ cursor: pointer; }}
ol {{ margin: .4rem 0; padding-left: 1.6rem; }}
.tag {{ border-radius: 4px; padding: .05rem .4rem; font-size: .8rem; font-weight: 600; color: var(--paper);
  background: var(--good); }}
.tag.direct, .tag.exact {{ background: var(--bad); }} .tag.interval {{ background: var(--warn); }}
.rules {{ margin: 0; padding-left: 1.6rem; font-size: .85rem; }} .rules.key {{ list-style: none; padding: 0; }}
.rules li {{ margin: .25rem 0; padding: .1rem .6rem; border-left: .3rem solid var(--line); }}
.rules li.A {{ border-color: var(--good); }} .rules li.B {{ border-color: var(--same); }}
.rules li.C {{ border-color: var(--warn); }} .rules li.D {{ border-color: var(--bad); }}
[hidden], .statements tr[hidden] {{ display: none; }}
"""
LONG = 40  # characters of a text that takes a line of its own on a narrow screen
# Characters that XML allows nowhere, not even escaped.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class Code(str):
    """A text to set as code."""

    __slots__ = ()


class Markup(str):
    """HTML that is shown as it is."""

    __slots__ = ()


def escape(value: Any) -> str:
    """Return a text for HTML and SVG; characters that XML does not allow become a replacement."""
    return html.escape(_NOT_XML.sub("\ufffd", str(value)))


def page(title: str, parts: Iterable[str], script: str = "") -> str:
    """Return a document that loads nothing from elsewhere; `parts` are its body in HTML."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    body = "\n".join(parts)
    last = f"<script>{script}</script>" if script else ""
    return (
        f"<!DOCTYPE html>\n<html lang=en><head>{head}<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body>\n{body}\n{last}</body></html>\n"
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Any]], *, searchable: bool = False) -> str:
    """Return a table: numbers and shares right-aligned, with as many decimals as their column needs."""
    columns = [[row[n] for row in rows] for n in range(len(header))]
    right = [_numeric(column) for column in columns]
    decimals = [_decimals(column) for column in columns]
    heads = "".join(
        f"<th scope=col{' class=n' * numeric}>{escape(name)}</th>" for name, numeric in zip(header, right, strict=True)
    )
    mark = " data-row" if searchable else ""
    lines = "".join(
        f"<tr{mark}>{''.join(_cell(*each) for each in zip(header, row, right, decimals, strict=True))}</tr>"
        for row in rows
    )
    told = any(isinstance(value, Code) or len(str(value)) > LONG for row in rows for value in row)
    kind = " class=statements" if told else ""
    return f"<div class=wide><table{kind}><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"


def legend(key: Mapping[str, str]) -> str:
    """Return the key to a picture's colours, which wraps on a narrow screen."""
    marks = "".join(f"<span>{swatch(colour)}{escape(name)}</span>" for name, colour in key.items())
    return f"<p class=legend>{marks}</p>"


def swatch(colour: str) -> str:
    """Return a small square of a colour."""
    square = f'width="10" height="10" rx="2" fill="{colour}" stroke="{LINE}" stroke-width="0.5"'
    return f'<svg viewBox="0 0 10 10" aria-hidden=true><rect {square}/></svg>'


def _cell(name: str, value: Any, numeric: bool, decimals: int) -> str:  # noqa: FBT001 - a column of a zip
    label = f' data-name="{escape(name)}"'  # shown where a row is too narrow for its columns
    if isinstance(value, Code):
        return f"<td class=code><code>{escape(value)}</code></td>"
    if isinstance(value, Markup):
        return f"<td{label}>{value}</td>"
    if isinstance(value, int | float):
        return f"<td class=n{label}>{value:,.{decimals}f}</td>"
    text = "-" if value is None else str(value)
    kind = " class=n" if numeric else " class=long" if len(text) > LONG else ""
    return f"<td{kind}{label}>{escape(text)}</td>"


def _numeric(column: Sequence[Any]) -> bool:
    return any(isinstance(value, int | float) or str(value).endswith("%") for value in column) and all(
        value is None or isinstance(value, int | float) or value in ("", "-") or str(value).endswith("%")
        for value in column
    )


def _decimals(column: Sequence[Any]) -> int:
    """Return how many decimals the numbers of a column need: at most three, fewer the larger they are."""
    numbers = [abs(value) for value in column if isinstance(value, int | float) and math.isfinite(value)]
    largest = max(numbers, default=0.0)
    most = 3 if largest < 1e3 else 1 if largest < 1e6 else 0
    return next(n for n in range(most + 1) if n == most or all(math.isclose(round(v, n), v) for v in numbers))
