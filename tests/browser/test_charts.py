"""Charts and trees of a page in a real Chromium: marks are read out, and the key shows and hides them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command import run

from sdcdb.pages import audit_charts, interactive, theme
from sdcdb.pages.plots import Panel, Picture, Row, altair, save

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: run .ci/browser")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: run .ci/browser"),
]


def drawn(file: Path) -> Path:
    alt = altair()
    rows = alt.Data(
        values=[{"name": "a", "share": 0.25, "when": "before"}, {"name": "a", "share": 0.5, "when": "after"}]
    )
    scale = alt.Scale(domain=["before", "after"], range=[theme.BEFORE, theme.AFTER])
    bars = alt.Chart(rows).mark_bar().encode(x="share:Q", y="when:N", color=alt.Color("when:N", scale=scale))
    panel = Panel(bars, "shares", {"before": theme.BEFORE, "after": theme.AFTER})
    save(Picture("t", [Row([panel])]), file)
    return file


@pytest.mark.parametrize("width", [1280, 390])
def test_a_mark_is_read_out_and_the_key_hides_it(tmp_path: Path, width: int) -> None:
    file = drawn(tmp_path / "p.html")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_page(viewport={"width": width, "height": 800})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(file.as_uri())
        page.locator("[aria-roledescription=bar]").first.click()
        assert "when: " in page.locator(".said").inner_text()
        entry = page.get_by_role("button", name="before")
        entry.focus()
        page.keyboard.press("Enter")
        assert entry.get_attribute("aria-pressed") == "false"
        assert page.locator("svg .off").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert problems == []
        browser.close()


STEPS = [("one", [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), ("two", [0.0, 1.0, 2.0], [0.0, 4.0, 8.0])]


def test_the_plots_of_an_audit_answer(tmp_path: Path) -> None:
    heat = audit_charts.heat("sex", "age", [("F", 30, 12, 0.5), ("M", 30, 9, 0.02)])
    parts = [audit_charts.nested(STEPS, "question", "people"), heat]
    file = tmp_path / "audit.html"
    file.write_text(theme.page("t", parts, interactive.SCRIPT))
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto(file.as_uri())
        page.locator("figure.plot rect").last.click()
        assert (
            page.locator(".said").last.inner_text()
            == "sex M, age 30: 9 records; narrowest interval 2.00% of the domain"
        )
        page.get_by_role("button", name="two").click()
        assert page.locator("svg .off path").count() == 3  # its paper, its area and its line
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        browser.close()


def test_a_tree_s_boxes_are_read_out(tmp_path: Path) -> None:
    database, file = tmp_path / "staff.duckdb", tmp_path / "tree.html"
    run("datasets", "staff", "-o", str(database), cwd=tmp_path)
    run("tree", str(database), "staff", "--class", "dept", "--attributes", "age,salary", "-o", str(file), cwd=tmp_path)
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto(file.as_uri())
        box = page.locator("figure.tree svg g g").first
        box.click()
        assert page.locator(".said").inner_text() == box.locator("title").text_content()
        browser.close()
