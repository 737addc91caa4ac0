"""reference/exit-codes.md: the exceptions, and the exit code of each."""

import sdcdb
from sdcdb.manual.page import Page, first_sentence, table


def _errors() -> str:
    classes = [each for name in sdcdb.__all__ if isinstance(each := getattr(sdcdb, name), type)]
    errors = sorted((each for each in classes if issubclass(each, Exception)), key=lambda each: len(each.__mro__))
    return table(
        ("exception", "is a", "exit code", "meaning"),
        [
            (
                f"`{each.__name__}`",
                ", ".join(f"`{base.__name__}`" for base in each.__bases__),
                str(getattr(each, "exit_code", "")),
                first_sentence(each.__doc__),
            )
            for each in errors
        ],
    )


PAGE = Page("reference/exit-codes.md", {"errors": _errors})
