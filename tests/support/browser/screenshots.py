"""The documentation's pictures: takes what `scripts/demo` left in build/demo, writes docs/letter.png and both pages.

PYTHONPATH=plugins:spark:demo:tests python -m support.browser.screenshots

Look at them afterwards. They were made with Liberation, of the package fonts-liberation.
"""

import email
import mailbox
import sys
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from playwright.sync_api import Browser

from kafka_fleet.page.app import make_app
from support.browser.browser import chromium, served

ROOT = Path(__file__).resolve().parents[3]
DEMO, DOCS = ROOT / "build/demo", ROOT / "docs"
CLUSTER = "payments-eu"  # the demo's cluster that has the bug
LETTER = {"width": 640, "height": 700}
SCALE = 1.5625  # a letter is 1000 pixels wide then
FLEET, OWN = {"width": 1280, "height": 900}, {"width": 900, "height": 2300}


def letter_of(folder: Path, cluster: str) -> str:
    """The HTML of the newest mail about a cluster in a Maildir. Raises LookupError where there is none."""
    found = []
    for key in mailbox.Maildir(folder, create=False).keys():  # noqa: SIM118
        message = email.message_from_bytes(mailbox.Maildir(folder).get_bytes(key), EmailMessage, policy=default)
        if str(message["subject"]).strip().startswith(f"{cluster}: "):
            found.append((key, message))
    if not found:
        raise LookupError(f"no mail about {cluster} in {folder}")
    body = max(found)[1].get_body(("html",))
    if body is None:
        raise LookupError(f"the mail about {cluster} has no HTML")
    return str(body.get_content())


def take(browser: Browser, demo: Path, docs: Path) -> None:
    """Write the three pictures."""
    page = browser.new_page(viewport=LETTER, device_scale_factor=SCALE)
    page.set_content(letter_of(demo / "mailbox", CLUSTER))
    page.screenshot(path=docs / "letter.png", full_page=True)
    with served(make_app(lambda: demo / "home", [])) as address:
        page = browser.new_page(viewport=FLEET)
        page.goto(f"{address}/")
        page.screenshot(path=docs / "page.png", full_page=True)
        page = browser.new_page(viewport=OWN)
        page.goto(f"{address}/clusters/{CLUSTER}")
        page.screenshot(path=docs / "page-cluster.png")


def main() -> int:
    """Entry point."""
    if not (DEMO / "home").is_dir():
        print(f"{DEMO} has no home: run scripts/demo first", file=sys.stderr)
        return 2
    with chromium() as browser:
        take(browser, DEMO, DOCS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
