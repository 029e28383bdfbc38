"""The lock: every package by version and hash, none below the release that mended a flaw which would reach us."""

import re
from pathlib import Path

import pytest

LOCK = (Path(__file__).resolve().parents[3] / "requirements.lock").read_text(encoding="utf-8")
PINNED = list(re.findall(r"^([a-z0-9][a-z0-9._-]*)(?:\[[a-z0-9,_-]+\])?==([^\s;\\]+)", LOCK, re.MULTILINE))
FLOORS = {  # what stands between this program and text from elsewhere: first release without the flaw
    "urllib3": ("2.8.0", "CVE-2026-97688: a compressed body that is unpacked for ever"),
    "requests": ("2.32.4", "CVE-2024-47081: credentials of .netrc go to another host"),
    "kafka-python": ("2.3.2", "CVE-2026-10142: a frame from a broker has no bound"),
    "jinja2": ("3.1.6", "CVE-2025-27516: a template leaves its sandbox"),
    "httpx2": ("2.12.0", "CVE-2026-84382: a compressed body that is unpacked whole"),
    "h11": ("0.16.0", "CVE-2025-43859: chunked bodies are taken apart too leniently"),
    "python-multipart": ("0.0.18", "CVE-2024-53981: a form that stalls the server"),
    "starlette": ("1.3.1", "PYSEC-2026-249: the limits of a form are not kept"),
    "cryptography": ("44.0.1", "CVE-2024-12797: a TLS handshake without the check of the peer"),
    "apache-airflow": ("3.3.1", "GHSA-2qjv-p2gc-mjg2: the scheduler imports a module that somebody else names"),
}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


@pytest.mark.parametrize("name", FLOORS)
def test_no_package_is_below_the_release_that_mended_a_known_flaw(name):
    first, why = FLOORS[name]
    locked = [numbers(version) for pinned, version in PINNED if pinned == name]  # two where Pythons differ
    assert locked
    assert min(locked) >= numbers(first), why


def test_every_package_has_its_hashes_and_comes_from_no_address_of_its_own():
    entries = re.split(r"\n(?=[a-z0-9])", LOCK)
    locked = [one for one in entries if re.match(r"[a-z0-9][a-z0-9._-]*(\[[a-z0-9,_-]+\])?==", one)]
    assert len(locked) == len(PINNED) > 100
    assert [one.split()[0] for one in locked if "--hash=sha256:" not in one] == []
    assert not re.search(r"https?://|git\+|file:|--extra-index|--trusted-host| @ ", re.sub(r"#.*", "", LOCK))
