"""Text from elsewhere, made safe for a terminal."""


def printable(text: str, width: int | None = None) -> str:
    r"""Return text on one line, with every character that does not print written as an escape; cut it at `width`.

    A statement may hold escape sequences that move the cursor, colour what follows or rename the window, and marks that
    turn the direction of writing: an auditor must see them, not obey them.

    >>> printable("SELECT 1 \x1b[2J\n  FROM  staff"), printable("SELECT count(*) FROM staff", 12)
    ('SELECT 1 \\x1b[2J FROM staff', 'SELECT coun…')
    """
    line = " ".join(text.split())
    seen = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    return seen if width is None or len(seen) <= width else seen[: width - 1] + "…"
