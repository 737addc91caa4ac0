"""One text with several statements, taken apart at semicolons outside of quotes and comments."""

import re

_TOKEN = re.compile(
    r"""
    (?P<text>(?:\b[eE])?')
  | (?P<name>"(?:[^"]|"")*")
  | (?P<line>--[^\n\r]*)
  | (?P<block>/\*)
  | (?P<dollar>\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$)
  | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"(?:[^']|'')*'", re.DOTALL)
_ESCAPED = re.compile(r"(?:[^'\\]|''|\\.)*'", re.DOTALL)  # E'...': a backslash takes the next character along


def split(script: str) -> list[str]:
    """Return the statements that are not empty, without their semicolons.

    >>> split("SET a TO ';'; -- one; two\\n SELECT 1;")
    ["SET a TO ';'", '-- one; two\\n SELECT 1']
    """
    found, start, at = [], 0, 0
    while (token := _TOKEN.search(script, at)) is not None:
        at = token.end()
        match token.lastgroup:
            case "text":
                at = _text_end(script, token)
            case "block":
                at = _comment_end(script, at)
            case "dollar":
                end = script.find(token.group(), at)
                at = len(script) if end < 0 else end + len(token.group())
            case "end":
                found.append(script[start : token.start()])
                start = at
    found.append(script[start:])
    return [each.strip() for each in found if uncommented(each)]


def uncommented(statement: str) -> str:
    """Return a statement without the comments and blanks before it.

    >>> uncommented("/* a /* b */ c */ -- d\\n  SELECT 1")
    'SELECT 1'
    """
    at = 0
    while True:
        rest = statement[at:].lstrip()
        at = len(statement) - len(rest)
        if rest.startswith("--"):
            line = re.search(r"[\n\r]", rest)
            at = len(statement) if line is None else at + line.end()
        elif rest.startswith("/*"):
            at = _comment_end(statement, at + 2)
        else:
            return rest


def _text_end(script: str, token: re.Match[str]) -> int:
    """Return where a string ends, or the end of everything for one that is not closed."""
    found = (_ESCAPED if len(token.group()) > 1 else _PLAIN).match(script, token.end())
    return len(script) if found is None else found.end()


def _comment_end(script: str, at: int) -> int:
    """Return where a comment ends that began before `at`; comments nest."""
    depth = 1
    while depth:
        found = re.compile(r"/\*|\*/").search(script, at)
        if found is None:
            return len(script)
        depth += 1 if found.group() == "/*" else -1
        at = found.end()
    return at
