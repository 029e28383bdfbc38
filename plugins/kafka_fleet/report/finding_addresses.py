"""Where a finding stands on the page: takes a finding, gives the anchor that mails and pages share.

An anchor is made of the finding's key, which is the same on every day, so that a link of an old mail still leads there.
"""

import re

from kafka_fleet.domain import Named, finding_key

EXPOSED, UNDECIDED, COVERAGE = "exposed", "undecided", "coverage"  # anchors of the parts that a letter counts


def finding_place(finding: Named) -> str:
    """The anchor of a finding on its cluster's page: `finding-KAFKA-14334`, `finding-symptom-isr_stagnation-frozen`."""
    return f"finding-{re.sub(r'[^A-Za-z0-9_]+', '-', finding_key(finding)).strip('-')}"
