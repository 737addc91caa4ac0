"""When Enter ends an input."""

import pytest

from sdcdb.shell.prompt import finished


@pytest.mark.parametrize("text", ["", "\\d", "SELECT 1;", "SELECT 1; -- done", "exit"])
def test_enter_ends_an_input_that_is_complete(text: str) -> None:
    assert finished(text)


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT ';", "SELECT 1; SELECT", "-- ;"])
def test_enter_begins_a_new_line_otherwise(text: str) -> None:
    assert not finished(text)
