"""A tree as a picture: SVG drawn by hand, PNG from it, or a page with the picture and the rules."""

import re
from pathlib import Path

from sdcdb.connection.atomic_file import refuse_target, written_whole
from sdcdb.errors import MissingExtraError, SdcdbError
from sdcdb.pages import theme
from sdcdb.pages.interactive import SCRIPT
from sdcdb.pages.theme import CARD, DARK_PICTURE, EDGE, FONT, GREY, INK, PAPER, SERIES, SOFT, escape
from sdcdb.pages.tree_layout import BAR, ROW, Box, layout
from sdcdb.trees.text import heading, rules_text
from sdcdb.trees.tree import Tree

FORMATS = (".svg", ".png", ".html", ".txt")
COLOURS = SERIES[:9]  # of classes; those after them are grey
TITLE = 54  # height of the heading
WIDEST = 12_000  # pixels of a PNG, either way


def check_format(file: Path, *, replace: bool = False) -> None:
    """Refuse a file that cannot be drawn or must not be replaced, before any work is done."""
    if file.suffix.lower() not in FORMATS:
        raise SdcdbError(f"cannot draw {file.name}: allowed endings are {', '.join(FORMATS)}")
    refuse_target(file, replace=replace)
    if file.suffix.lower() == ".png":
        try:
            import vl_convert  # noqa: F401 - only whether it is there
        except ImportError:
            raise MissingExtraError("plot", "drawing a PNG") from None


def save(tree: Tree, file: Path, *, replace: bool = False) -> None:
    """Write the tree in the format that the file's ending names; `replace` allows an existing file."""
    ending = file.suffix.lower()
    with written_whole(file, replace=replace) as part:
        if ending == ".png":
            import vl_convert

            drawn = svg(tree)
            wide, high = (float(number) for number in re.findall(r'(?:width|height)="([\d.]+)"', drawn)[:2])
            part.write_bytes(vl_convert.svg_to_png(drawn, scale=min(2.0, WIDEST / max(wide, high))))
        else:
            text = svg(tree) if ending == ".svg" else page(tree) if ending == ".html" else rules_text(tree) + "\n"
            part.write_text(text, encoding="utf-8")


def page(tree: Tree) -> str:
    """Return a page of HTML with the picture and the rules; it needs nothing from elsewhere."""
    title = heading(tree)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<figure class=tree>{svg(tree)}</figure>",
        "<h2>Rules</h2>",
        f"<pre>{escape(rules_text(tree))}</pre>",
    ]
    return theme.page(title, parts, SCRIPT)


def svg(tree: Tree) -> str:
    """Return the picture as SVG: boxes for tests, labels on branches, leaves with a bar of their classes."""
    placed = layout(tree)
    legend, end = _legend(tree)
    width = max(placed.width, 7.4 * len(heading(tree)) + 40, end)
    height = placed.height + TITLE
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" font-size="12">',
        f"<style>{DARK_PICTURE}</style>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/><g transform="translate(0 {TITLE})">',
        f'<text x="16" y="-32" font-size="14" font-weight="bold" fill="{INK}">{escape(heading(tree))}</text>',
        legend,
    ]
    parts += [_branch(placed.boxes[box.parent], box) for box in placed.boxes if box.parent is not None]
    parts += [_box(box) for box in placed.boxes]
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def colour(code: int) -> str:
    """Return the colour of a class; those after the ninth are grey."""
    return COLOURS[code] if code < len(COLOURS) else GREY


def _legend(tree: Tree) -> tuple[str, float]:
    """Return the key to the classes' colours, and where it ends."""
    drawn, x = [], 16.0
    named = len(tree.classes) if len(tree.classes) <= len(COLOURS) + 1 else len(COLOURS)
    for code, name in enumerate(tree.classes[:named]):
        drawn.append(f'<rect x="{x:.0f}" y="-21" width="11" height="11" rx="2" fill="{colour(code)}"/>')
        drawn.append(f'<text x="{x + 16:.0f}" y="-11" fill="{INK}">{escape(name)}</text>')
        x += 34 + 7 * len(name)
    if rest := len(tree.classes) - named:
        drawn.append(f'<text x="{x:.0f}" y="-11" fill="{SOFT}">and {rest} others in grey</text>')
        x += 150
    return "".join(drawn), x


def _branch(parent: Box, box: Box) -> str:
    x, y = parent.x + parent.width, parent.y
    turn = x + 12
    if abs(box.y - y) < 1:
        curve = f"M{x:.1f} {y:.1f}L{box.x:.1f} {box.y:.1f}"
    else:  # along, up or down, and along again, round at the last corner
        bend = 6 if box.y > y else -6
        corner = f"Q{turn:.1f} {box.y:.1f} {turn + 6:.1f} {box.y:.1f}"
        curve = f"M{x:.1f} {y:.1f}H{turn:.1f}V{box.y - bend:.1f}{corner}H{box.x:.1f}"
    drawn = f'<path d="{curve}" fill="none" stroke="{EDGE}" stroke-width="1.2"/>'
    if box.branch:  # a white edge keeps the label apart from its line
        drawn += (
            f'<text x="{box.x - 8:.1f}" y="{box.y + 4:.1f}" text-anchor="end" fill="{SOFT}" stroke="{PAPER}" '
            f'stroke-width="5" paint-order="stroke">{escape(box.branch)}</text>'
        )
    return drawn


def _box(box: Box) -> str:
    top, high = box.y - (ROW - 6) / 2, ROW - 6
    drawn = f"<g><title>{escape(box.title)}</title>"
    if box.faint:
        place = f'x="{box.x + 6:.1f}" y="{box.y + 4:.1f}"'
        return f'{drawn}<text {place} fill="{SOFT}" font-style="italic">{escape(box.label)}</text></g>'
    fill, edge = (PAPER, colour(box.leaf.majority)) if box.leaf else (CARD, EDGE)
    drawn += (
        f'<rect x="{box.x:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{high:.1f}" rx="4" fill="{fill}" '
        f'stroke="{edge}" stroke-width="1.3"/>'
    )
    weight = ' font-weight="bold"' if box.leaf is None else ""
    drawn += f'<text x="{box.x + 8:.1f}" y="{box.y + 4:.1f}" fill="{INK}"{weight}>{escape(box.label)}</text>'
    if box.leaf and box.leaf.total:
        x = box.x + box.width - BAR - 8
        for code, count in enumerate(box.leaf.counts):
            wide = BAR * count / box.leaf.total
            if wide > 0:
                drawn += (
                    f'<rect x="{x:.2f}" y="{top + 6:.1f}" width="{wide:.2f}" height="{high - 12:.1f}" '
                    f'fill="{colour(code)}"/>'
                )
                x += wide
    return drawn + "</g>"
