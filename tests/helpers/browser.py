"""Chromium without a window, driven through Debian's own driver."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

PROGRAMS = ("chromium", "chromedriver")
SIZE = {"width": 1280, "height": 800}
ARGUMENTS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-lcd-text",
)
PATIENCE = 20
"""Seconds until a page must show what is waited for."""


@frozen
class Browser:
    """A browser window of 1280 by 800 points."""

    driver: webdriver.Chrome

    def open(self, address: str) -> None:
        """Open a page anew, also where only the fragment of the address differs."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get(address)

    def prefer(self, scheme: str) -> None:
        """Let pages know that the user prefers ``light`` or ``dark``."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": features}
        )

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def all(self, selector: str) -> list[WebElement]:
        """Every element that a selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of the first element that a selector finds."""
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def wait_for(self, selector: str, text: str) -> None:
        """Wait until an element that a selector finds has a text in it."""
        WebDriverWait(self.driver, PATIENCE).until(
            lambda _: any(text in shown for shown in self._texts(selector)),
            f"no {selector} with {text!r}: {self._texts(selector)}",
        )

    def complaints(self) -> list[str]:
        """Errors of the browser since the page was opened."""
        found = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in found]

    def run(self, script: str) -> Any:
        """The value that a script of the page returns."""
        return self.driver.execute_script(script)

    def picture(self, path: Path) -> None:
        """Write what is to be seen to a PNG file."""
        assert self.driver.save_screenshot(str(path))

    def _texts(self, selector: str) -> list[str]:
        script = (
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)"
        )
        found: list[str] = self.driver.execute_script(script, selector)
        return found


@contextmanager
def started_browser() -> Iterator[Browser]:
    """Start the browser for a while."""
    options = webdriver.ChromeOptions()
    chromium, driver = map(shutil.which, PROGRAMS)
    assert chromium is not None
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in ARGUMENTS:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    found = webdriver.Chrome(options, Service(driver))
    try:
        metrics = {**SIZE, "deviceScaleFactor": 1, "mobile": False}
        found.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        yield Browser(found)
    finally:
        found.quit()
