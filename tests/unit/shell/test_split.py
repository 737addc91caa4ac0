"""Cutting input into statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdcdb.cli.ask
import sdcdb.shell.split
import sdcdb.terminal.status
import sdcdb.terminal.values
from sdcdb.shell.split import blank, split


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("SELECT 1; SELECT 2;", ("SELECT 1", "SELECT 2"), ""),
        ("SELECT ';'; x", ("SELECT ';'",), " x"),
        ("SELECT 'it''s; so';", ("SELECT 'it''s; so'",), ""),
        ('SELECT "a;""b";', ('SELECT "a;""b"',), ""),
        ("SELECT 1 -- one; two\n;", ("SELECT 1 -- one; two",), ""),
        ("SELECT /* ; */ 1;", ("SELECT /* ; */ 1",), ""),
        ("SELECT $$;$$; SELECT $a$;$$;$a$;", ("SELECT $$;$$", "SELECT $a$;$$;$a$"), ""),
        ("SELECT $1, $2; SELECT $1;", ("SELECT $1, $2", "SELECT $1"), ""),
        ("SELECT 'open; ;", (), "SELECT 'open; ;"),
        ("SELECT /* open; ;", (), "SELECT /* open; ;"),
        ("SELECT 1 -- open;", (), "SELECT 1 -- open;"),
        (";;  ; -- nothing\n;", (), ""),
    ],
)
def test_a_semicolon_in_quotes_or_comments_ends_nothing(text: str, statements: tuple[str, ...], rest: str) -> None:
    assert split(text) == sdcdb.shell.split.Split(statements, rest)


@given(st.text(alphabet="a;'\"-/*$\n ", max_size=40))
def test_splitting_loses_nothing_but_semicolons_blanks_and_comments(text: str) -> None:
    found = split(text)
    kept = [*found.statements, found.rest]
    assert all(part.strip() in text for part in kept)
    assert all(not blank(part) for part in found.statements)
    assert split(found.rest).statements == ()
