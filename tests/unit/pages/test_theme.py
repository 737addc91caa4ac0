"""One theme: texts are escaped, tables aligned, colours exist for light and dark, nothing is loaded from elsewhere."""

import base64
import re
from hashlib import sha256
from pathlib import Path

import pytest

from sdcdb.pages import theme
from sdcdb.pages.audit_charts import compact, nested, ticks
from sdcdb.pages.interactive import SCRIPT
from sdcdb.pages.plots import Panel, Picture, Row, altair, figures, save
from sdcdb.web.report import report

HEX = re.compile(r'(?:fill|stroke)="(#[0-9a-fA-F]{3,8})"')


def panel(key: dict[str, str]) -> Panel:
    alt = altair()
    rows = alt.Data(values=[{"x": 1, "y": 2, "k": "<a>"}, {"x": 2, "y": 3, "k": "<a>"}])
    colour = alt.Color("k:N", scale=alt.Scale(range=[theme.BLUE]))
    return Panel(alt.Chart(rows).mark_line(point=True, clip=True).encode(x="x:Q", y="y:Q", color=colour), "<b>", key)


def test_texts_are_escaped_and_what_xml_forbids_is_replaced() -> None:
    assert theme.escape('<a href="x">&\x00\ud800') == "&lt;a href=&quot;x&quot;&gt;&amp;\ufffd\ufffd"


def test_a_table_aligns_numbers_and_gives_a_column_the_decimals_it_needs() -> None:
    text = theme.table(("name", "n", "mean", "share"), [("a", 1000, 1.5, "5%"), ("<b>", None, 2.25, "-")])
    assert text.count("<th scope=col class=n>") == 3
    assert "&lt;b&gt;" in text
    for cell in ("1,000", "1.50", "2.25", "5%", "-"):
        assert f">{cell}</td>" in text
    assert ">852,637,604</td>" in theme.table(("variance",), [(852_637_603.831,)])


def test_statements_are_code_and_our_own_markup_is_kept() -> None:
    text = theme.table(("x", "y"), [(theme.Code("a < b"), theme.Markup("<b>c</b>"))], searchable=True)
    assert "<code>a &lt; b</code>" in text
    assert "<b>c</b></td>" in text
    assert "<tr data-row>" in text


def test_a_page_loads_nothing_and_has_a_script_only_when_it_needs_one() -> None:
    plain = theme.page("a < b", ["<p>x</p>"])
    assert "<title>a &lt; b</title>" in plain
    assert "<script" not in plain
    assert "<script>go()</script>" in theme.page("t", [], "go()")
    assert not re.search(r"https?:|@import|url\(", plain)


def test_every_colour_has_a_dark_one_that_differs() -> None:
    colours = [*theme.SERIES, *theme.ORDERED, *theme.NAMES.values(), theme.EDGE]
    assert all(theme.DARK[colour] != colour for colour in colours)
    assert sorted(theme.SERIES) == sorted(theme.ORDERED)


def test_charts_are_drawn_in_colours_of_the_theme_only() -> None:
    text = figures([panel({"a": theme.BLUE}), panel({})])
    assert set(HEX.findall(text)) <= set(theme.DARK)
    assert "&lt;b&gt;</figcaption>" in text
    assert "<title>" in text  # what a point stands for


def test_two_charts_of_a_page_share_no_names_and_a_key_replaces_the_legend() -> None:
    text = figures([panel({"<a>": theme.BLUE}), panel({})])
    names = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == len(set(names)) > 1
    assert all(f'id="{name}"' in text for name in re.findall(r"url\(#([^)]+)\)", text))
    keyed, own = text.split("</figure>")[:2]
    assert "role-legend" not in keyed
    assert "role-legend" in own


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_a_picture_follows_the_reader_into_the_dark(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"p.{ending}"
    save(Picture("<t>", [Row([panel({}), panel({})], "row")]), file)
    text = file.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    assert "&lt;t&gt;" in text
    assert text.count("<script") == (ending == "html")


def test_the_script_of_charts_loads_nothing_and_runs_by_its_digest() -> None:
    assert not re.search(r"https?:|fetch|import|eval|Function|innerHTML|insertAdjacent|</|\bon\w+ ?=", SCRIPT)
    policy = report(theme.page("t", [figures([panel({"a": theme.BLUE})])], SCRIPT)).headers["content-security-policy"]
    digest = base64.b64encode(sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "unsafe-eval" not in policy


def test_what_the_script_looks_for_is_what_is_drawn() -> None:
    text = figures([panel({"a": theme.BLUE})])
    assert re.search(r"<figure class=chart>.*<p class=legend><span><svg [^>]*><rect [^>]*fill=", text)
    assert re.search(r'aria-label="[^"]+" role="graphics-symbol"', text)


def test_ticks_are_round_and_cover_the_largest() -> None:
    assert ticks(10) == [0, 2.5, 5.0, 7.5, 10.0]
    assert ticks(3, whole=True) == [0, 1, 2, 3]
    assert ticks(101)[-1] >= 101
    assert [compact(value) for value in (0, 950, 12_000, 1_500_000)] == ["0", "950", "12k", "1.5M"]


def test_nested_numbers_are_areas_behind_each_other() -> None:
    text = nested([("a<", [0, 1], [0, 1]), ("b", [0, 1], [0, 2])], "x", "y")
    assert "a&lt;" in text
    assert text.count("Z") == 2  # one area, on paper
