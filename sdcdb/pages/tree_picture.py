"""A tree as a picture: SVG drawn by hand, PNG from it, or a page with the picture and the rules."""

import re
from html import escape
from pathlib import Path

from sdcdb.errors import MissingExtraError, SdcdbError
from sdcdb.pages.tree_layout import BAR, ROW, Box, layout
from sdcdb.trees.text import heading, rules_text
from sdcdb.trees.tree import Tree

FORMATS = (".svg", ".png", ".html", ".txt")
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d", "#ff9da6", "#79706e")
INK, SOFT, LINE = "#222222", "#666666", "#b5b5b5"
TITLE = 54  # height of the heading
WIDEST = 12_000  # pixels of a PNG, either way


def check_format(file: Path) -> None:
    """Refuse a file ending that cannot be drawn, before any work is done."""
    if file.suffix.lower() not in FORMATS:
        raise SdcdbError(f"cannot draw {file.name}: allowed endings are {', '.join(FORMATS)}")
    if file.suffix.lower() == ".png":
        try:
            import vl_convert  # noqa: F401 - only whether it is there
        except ImportError:
            raise MissingExtraError("plot", "drawing a PNG") from None


def save(tree: Tree, file: Path) -> None:
    """Write the tree in the format that the file's ending names."""
    ending = file.suffix.lower()
    try:
        if ending == ".png":
            import vl_convert

            drawn = svg(tree)
            wide, high = (float(number) for number in re.findall(r'(?:width|height)="([\d.]+)"', drawn)[:2])
            file.write_bytes(vl_convert.svg_to_png(drawn, scale=min(2.0, WIDEST / max(wide, high))))
        else:
            text = svg(tree) if ending == ".svg" else page(tree) if ending == ".html" else rules_text(tree) + "\n"
            file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise SdcdbError(f"cannot write {file}: {problem.strerror}") from None


def page(tree: Tree) -> str:
    """Return a page of HTML with the picture and the rules; it needs nothing from elsewhere."""
    style = "body{font:14px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:24px}"
    style += "div{overflow:auto}pre{background:#f6f6f6;padding:16px;overflow:auto}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(heading(tree))}</title>'
        f"<style>{style}</style></head>\n<body><div>{svg(tree)}</div>\n<h2>Rules</h2>\n"
        f"<pre>{_text(rules_text(tree))}</pre></body></html>\n"
    )


def svg(tree: Tree) -> str:
    """Return the picture as SVG: boxes for tests, labels on branches, leaves with a bar of their classes."""
    placed = layout(tree)
    width = max(placed.width, 7.4 * len(heading(tree)) + 40)
    height = placed.height + TITLE
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><g transform="translate(0 {TITLE})">',
        f'<text x="16" y="-32" font-size="14" font-weight="bold" fill="{INK}">{_text(heading(tree))}</text>',
        _legend(tree),
    ]
    parts += [_branch(placed.boxes[box.parent], box) for box in placed.boxes if box.parent is not None]
    parts += [_box(box) for box in placed.boxes]
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def colour(code: int) -> str:
    """Return the colour of a class; those after the tenth are grey."""
    return COLOURS[code] if code < len(COLOURS) else "#bab0ac"


def _legend(tree: Tree) -> str:
    drawn, x = [], 16.0
    for code, name in enumerate(tree.classes[: len(COLOURS)]):
        drawn.append(f'<rect x="{x:.0f}" y="-21" width="11" height="11" rx="2" fill="{colour(code)}"/>')
        drawn.append(f'<text x="{x + 16:.0f}" y="-11" fill="{INK}">{_text(name)}</text>')
        x += 34 + 7 * len(name)
    if len(tree.classes) > len(COLOURS):
        rest = len(tree.classes) - len(COLOURS)
        drawn.append(f'<text x="{x:.0f}" y="-11" fill="{SOFT}">and {rest} others in grey</text>')
    return "".join(drawn)


def _branch(parent: Box, box: Box) -> str:
    x, y = parent.x + parent.width, parent.y
    turn = x + 12
    if abs(box.y - y) < 1:
        curve = f"M{x:.1f} {y:.1f}L{box.x:.1f} {box.y:.1f}"
    else:  # along, up or down, and along again, round at the last corner
        bend = 6 if box.y > y else -6
        corner = f"Q{turn:.1f} {box.y:.1f} {turn + 6:.1f} {box.y:.1f}"
        curve = f"M{x:.1f} {y:.1f}H{turn:.1f}V{box.y - bend:.1f}{corner}H{box.x:.1f}"
    drawn = f'<path d="{curve}" fill="none" stroke="{LINE}" stroke-width="1.2"/>'
    if box.branch:  # a white edge keeps the label apart from its line
        drawn += (
            f'<text x="{box.x - 8:.1f}" y="{box.y + 4:.1f}" text-anchor="end" fill="{SOFT}" stroke="#ffffff" '
            f'stroke-width="5" paint-order="stroke">{_text(box.branch)}</text>'
        )
    return drawn


def _box(box: Box) -> str:
    top, high = box.y - (ROW - 6) / 2, ROW - 6
    drawn = f"<g><title>{_text(box.title)}</title>"
    if box.faint:
        text = (
            f'<text x="{box.x + 6:.1f}" y="{box.y + 4:.1f}" fill="{SOFT}" font-style="italic">{_text(box.label)}</text>'
        )
        return f"{drawn}{text}</g>"
    fill, edge = ("#ffffff", colour(box.leaf.majority)) if box.leaf else ("#f2f2f2", "#8a8a8a")
    drawn += (
        f'<rect x="{box.x:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{high:.1f}" rx="4" fill="{fill}" '
        f'stroke="{edge}" stroke-width="1.3"/>'
    )
    weight = ' font-weight="bold"' if box.leaf is None else ""
    drawn += f'<text x="{box.x + 8:.1f}" y="{box.y + 4:.1f}" fill="{INK}"{weight}>{_text(box.label)}</text>'
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


def _text(text: str) -> str:
    """Escape a text; characters that XML does not allow become a replacement."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", text))
