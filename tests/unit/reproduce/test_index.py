"""The index of reproductions: every table and figure of the five documents, each with a verdict and a reason."""

import re

from index_page import VERDICTS, entries, row
from support.paths import ROOT

NUMBERED = {  # tables and figures, as the documents number them
    "VICUS (2012)": {"Table": ["1", "2", "3"], "Figure": [str(n) for n in range(1, 8)]},
    "DETECTIVE (2005)": {"Table": ["4.1", "4.2"], "Figure": ["3.1", "4.1", "4.2", "4.3"]},
    "CAE (2014)": {"Table": ["1", "2"], "Figure": ["1", "2", "3", "4"]},
    "EAN (2017)": {"Table": ["I"], "Figure": ["1", "2", "3", "4"]},
    "Thesis (2007)": {
        "Table": ["2.1", "3.1", *(f"6.{n}" for n in range(1, 6)), "7.1", "7.2", "7.3", "8.1",
                  *(f"9.{n}" for n in range(1, 5))],
        "Figure": ["2.1", "2.2", "3.1", "3.2", *(f"4.{n}" for n in range(1, 14)), "5.1",
                   *(f"6.{n}" for n in range(1, 14)), *(f"7.{n}" for n in range(1, 18)), "8.1", "8.2", "9.1"],
    },
}  # fmt: skip
PAGE = (ROOT / "docs/results/reproductions.md").read_text(encoding="utf-8")


def covered(name: str) -> list[tuple[str, str]]:
    """Return what one entry is about: `Figures 4.3 to 4.7` is about five."""
    kind, numbers = name.split(" ", 1)
    first, *last = re.split(r" to | and ", numbers)
    if not last:
        return [(kind, first)]
    chapter, start = first.split(".")
    return [("Figure", f"{chapter}.{n}") for n in range(int(start), int(last[0].split(".")[1]) + 1)]


def test_every_table_and_figure_has_an_entry() -> None:
    for document, numbered in NUMBERED.items():
        found = [each for own, name, _ in entries() if own == document for each in covered(name)]
        assert sorted(found) == sorted((kind, number) for kind, own in numbered.items() for number in own)


def test_what_differs_says_why_and_every_result_is_on_the_page() -> None:
    for _, name, said in entries():
        assert said["verdict"] in VERDICTS
        assert said["verdict"] == "reproduced" or len(said["why"]) > 5, name
        assert said["verdict"] not in {"reproduced", "agrees in shape", "differs"} or said.get("result") or said["why"]
        for result in said.get("result", ()):
            assert f"<!-- {result} -->" in PAGE, f"{name}: {result} is not on the page"


def test_the_page_has_the_index_as_it_is() -> None:
    for entry in entries():
        assert f"| {' | '.join(row(*entry))} |" in PAGE, entry[1]
