"""Untrusted text, made safe for a terminal."""


def printable(text: str, width: int | None = None) -> str:
    r"""Return text on one line, with every unprintable character escaped; cut it at `width`.

    A statement may contain escape sequences that move the cursor, colour what follows or rename the window, and marks
    that reverse the writing direction: an auditor must see them, and the terminal must not obey them.

    >>> printable("SELECT 1 \x1b[2J\n  FROM  staff"), printable("SELECT count(*) FROM staff", 12)
    ('SELECT 1 \\x1b[2J FROM staff', 'SELECT coun…')
    """
    line = " ".join(text.split())
    seen = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    return seen if width is None or len(seen) <= width else seen[: width - 1] + "…"
