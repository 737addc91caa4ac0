"""The console in a real Chromium: what people of each access do there, by mouse and by keyboard, wide and narrow.

Run by `.ci/browser`, which installs Chromium, Playwright and axe; skipped where they are absent.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import serving
from support.serving import PASSWORD

from sdcdb.web.serving import HttpDoor, start_http

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: run .ci/browser")
CHROMIUM = shutil.which("chromium")
AXE = Path(os.environ.get("SDCDB_AXE", "node_modules/axe-core/axe.min.js"))
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: run .ci/browser"),
]

MEANS = "SELECT dept, AVG(salary) AS mean FROM staff GROUP BY dept ORDER BY dept"
SMALL = "SELECT AVG(salary) FROM staff WHERE dept = 'Legal' AND sex = 'F' AND age = 30"
PAGES = {
    "ann": ["/", "/tables", "/history", "/status"],
    "eve": ["/status", "/ledger?verify=on", "/audit"],
    "olga": ["/policy", "/views", "/users"],
}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpDoor]:
    with serving.service(serving.create(tmp_path_factory.mktemp("console"), rows=600)) as service:
        opened = start_http(service, "127.0.0.1", 0)
        yield opened
        opened.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        opened = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


@pytest.fixture(params=[("light", 1280), ("dark", 390)], ids=["light-wide", "dark-narrow"])
def page(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    scheme, width = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield opened
    context.close()
    assert [each for each in complaints if "status of 40" not in each] == []


def login(page: Any, door: HttpDoor, name: str) -> None:
    page.goto(f"{door.url}login")
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    page.press("#password", "Enter")
    page.wait_for_selector("header.top")


def test_a_wrong_password_and_then_the_right_one(page: Any, door: HttpDoor) -> None:
    page.goto(f"{door.url}login")
    page.fill("#name", "ann")
    page.fill("#password", "wrong")
    page.click("button.main")
    assert "wrong" in page.inner_text("[role=alert]")
    login(page, door, "ann")
    assert page.inner_text(".who b") == "ann"
    page.click("text=Log out")
    page.wait_for_selector("#password")
    page.goto(f"{door.url}history")
    assert page.url.endswith("/login")


def test_ask_by_keyboard_with_completion_chart_and_download(page: Any, door: HttpDoor) -> None:
    login(page, door, "ann")
    page.fill("#sql", "")
    page.type("#sql", "SELECT de")
    page.wait_for_selector("#completions:not([hidden])")
    page.press("#sql", "Tab")
    assert page.input_value("#sql") == "SELECT dept"
    page.fill("#sql", MEANS)
    page.press("#sql", "Control+Enter")
    page.wait_for_selector(".answer table")
    rows = page.locator(".answer tbody tr").count()
    assert rows >= 4
    hidden = page.locator(".answer td.n .hidden-value").count()  # a group that is too small has no bar
    assert page.locator(".answer-chart rect").count() == rows - hidden
    assert page.locator("#colours .kw").count() >= 5
    with page.expect_download() as download:
        page.click("text=Download CSV")
    assert download.value.path().read_text().startswith("dept,mean\n")


def test_explain_shows_the_room_and_a_denial_offers_a_way_out(page: Any, door: HttpDoor) -> None:
    login(page, door, "ann")
    page.fill("#sql", "SELECT AVG(salary) FROM staff WHERE dept = 'Legal'")
    page.click("button[value=explain]")
    page.wait_for_selector(".room .meter")
    page.fill("#sql", SMALL)
    page.click("button[value=ask]")
    page.wait_for_selector(".verdict.deny")
    assert "too small" in page.inner_text(".verdict.deny")
    page.click("text=Without the condition age = 30")
    page.wait_for_function("document.getElementById('sql').value.indexOf('age') < 0")
    page.wait_for_selector("text=Would be answered")


def test_everything_works_without_scripts(browser: Any, door: HttpDoor) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    login(page, door, "ann")
    page.fill("#sql", MEANS)
    page.click("button[value=ask]")
    assert page.locator(".answer tbody tr").count() >= 4
    page.fill("#sql", SMALL)
    page.click("button[value=ask]")
    page.click("text=Without the condition age = 30")
    assert "age" not in page.input_value("#sql")
    context.close()


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in PAGES.items() for path in paths])
def test_pages_fit_the_screen_and_are_accessible(page: Any, door: HttpDoor, name: str, path: str) -> None:
    login(page, door, name)
    page.goto(door.url.rstrip("/") + path)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run .ci/browser")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found["violations"]] == []


def test_an_auditor_may_not_ask_and_sees_the_report(page: Any, door: HttpDoor) -> None:
    login(page, door, "eve")
    page.goto(door.url)
    assert "may not ask questions" in page.inner_text("main")
    page.goto(f"{door.url}audit")
    with page.expect_popup() as popup:
        page.click("text=Make the report")
    popup.value.wait_for_load_state()
    assert "statements" in popup.value.inner_text("body")


def test_an_owner_adds_a_user_and_a_token(page: Any, door: HttpDoor) -> None:
    login(page, door, "olga")
    page.goto(f"{door.url}users")
    name = f"new{page.viewport_size['width']}"
    page.fill("#new-name", name)
    page.fill("#new-password", "a long enough password")
    page.click("text=Add >> nth=-1")
    page.wait_for_selector(f"td b:text-is('{name}')")
    page.locator("tr", has_text=name).locator("text=New token").click()
    assert page.inner_text(".token").startswith("sdc_")
