"""A real headless Chromium for tests: opens pages as a person does, and notes every request, complaint and fault.

Playwright's driver comes with its Python package; the browser is the distribution's. scripts/test installs it where it
may; where it may not, the tests that need it are skipped, and say what to install.
"""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


def found() -> str | None:
    """The browser's program; None where there is none that runs (a package may be a note that it is a snap now)."""
    for name in (os.environ.get("FLEET_CHROMIUM", ""), *NAMES):
        path = shutil.which(name) if name else None
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


@dataclass
class Watched:
    """A page, and what it did: addresses asked for, what its console complained of, requests that failed."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def note_request(self, request: Request) -> None:
        self.asked.append(request.url)

    def note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.location.get('url', '')}: {message.text}")

    @property
    def hosts(self) -> set[str | None]:
        """Machines that were asked for anything."""
        return {urlsplit(url).hostname for url in self.asked if not url.startswith(("data:", "blob:", "about:"))}


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser for the length of the block, with an empty profile of its own."""
    path = found()
    if path is None:
        sentence = "no Chromium: install the package chromium, or name a program in FLEET_CHROMIUM"
        if os.environ.get("FLEET_BROWSER") == "required":
            pytest.fail(sentence)
        pytest.skip(sentence)  # where no Chromium can be had (Ubuntu's is a snap); .ci/run sets "required" where it is
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def watched(browser: Browser, **context: Any) -> Iterator[Watched]:
    """A page in a context of its own (its settings are Playwright's), closed at the end."""
    made = browser.new_context(**{"viewport": DESKTOP, **context})
    made.set_default_timeout(60_000)
    one = Watched(made.new_page())
    made.on("request", one.note_request)
    made.on("console", one.note_console)
    made.on("requestfailed", lambda request: one.failed.append(f"{request.url}: {request.failure}"))
    try:
        yield one
    finally:
        made.close()


def violations(page: Page, rule: str | None = None) -> dict[str, list[str]]:
    """What axe-core finds, in every frame: rule -> the elements. The page has to be of a context with bypass_csp.

    rule: of this one alone, which is faster.
    """
    only = {"type": "tag", "values": RULES} if rule is None else {"type": "rule", "values": [rule]}
    answer = Axe().run(page, options={"runOnly": only})
    return {one["id"]: [node["html"][:160] for node in one["nodes"]] for one in answer.response["violations"]}


def overflow(page: Page) -> int:
    """Pixels that the page is wider than the window."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide


FOCUSED = """() => {
  const one = document.activeElement, look = getComputedStyle(one), box = one.getBoundingClientRect();
  return {tag: one.tagName.toLowerCase(), name: one.getAttribute("aria-label") || one.name || one.textContent.trim(),
          outline: look.outlineStyle === "none" ? 0 : parseFloat(look.outlineWidth),
          shown: box.width > 0 && box.right > 0 && box.bottom > 0};
}"""


def tab(page: Page, times: int = 1) -> dict[str, Any]:
    """Press the tabulator; gives what has the focus then: tag, name, width of its outline, whether it is to be seen."""
    for _ in range(times):
        page.keyboard.press("Tab")
    focused: dict[str, Any] = page.evaluate(FOCUSED)
    return focused


@contextmanager
def served(app: Any) -> Iterator[str]:
    """A FastAPI app on a port of 127.0.0.1; gives its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        begin = time.monotonic()
        while not server.started:
            assert time.monotonic() - begin < 60, "the server did not start"
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
