"""--param: values as they are written."""

import pytest

from sdcdb.cli.ask import parameters
from sdcdb.errors import SdcdbError


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["F"], "write 1=VALUE"),
        (["=F"], "write 1=VALUE"),
        (["1=F", "1=M"], "twice"),
        (["1=F", "3=M"], "without a gap"),
        (["1=F", "sex=M"], "without a gap"),
    ],
)
def test_parameters_that_make_no_sense(given: list[str], says: str) -> None:
    with pytest.raises(SdcdbError, match=says):
        parameters(given)


def test_parameters_are_what_they_look_like() -> None:
    assert parameters([]) is None
    assert parameters(["2=b=c", "1=-1.5e3", "3=NULL", "4=true", "5='it''s'", "6=0.5", "7="]) == [
        *(-1500.0, "b=c", None, True, "it's", 0.5, "")
    ]
