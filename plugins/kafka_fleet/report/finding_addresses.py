"""Where a finding stands on the page: takes a finding, gives the anchor that mails and pages share, and its address.

An anchor is made of the finding's key, which is the same on every day, so that a link of an old mail still leads there.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from kafka_fleet.domain import Named, finding_key
from kafka_fleet.settings import read_settings, variable

SETTING = variable("page_url")
# anchors of the parts that a letter counts
EXPOSED, UNDECIDED, COVERAGE, FINDINGS = "exposed", "undecided", "coverage", "findings"


def page_url(environ: Mapping[str, str] | None = None) -> str:
    """The address of the page, without a slash at its end; empty where none is set. Raises UsageError."""
    return (read_settings("page_url", environ=environ).page_url or "").rstrip("/")


def finding_place(finding: Named) -> str:
    """The anchor on its cluster's page: `finding-KAFKA-14334`, `finding-symptom-fetch_latency-follower`."""
    return f"finding-{re.sub(r'[^A-Za-z0-9_]+', '-', finding_key(finding)).strip('-')}"


def cluster_url(base: str, cluster: str, ds: str = "", place: str = "") -> str:
    """The address of a cluster's page, of a day and a place on it where they are given; empty without a base."""
    if not base or urlsplit(base).scheme not in ("http", "https"):
        return ""
    day = f"?day={quote(ds)}" if ds else ""
    return f"{base.rstrip('/')}/clusters/{quote(cluster, safe='')}{day}" + (f"#{place}" if place else "")


def finding_url(base: str, cluster: str, finding: Named, ds: str = "") -> str:
    """The address of a finding on its cluster's page; empty without a base."""
    return cluster_url(base, cluster, ds, finding_place(finding))
