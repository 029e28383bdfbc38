"""Bounds of acknowledgements: takes a finding's subjects and settings, gives what an entry keeps of them.

Clients choose group ids of up to 32 KiB, and as many as they like. What is long is kept by its beginning and its
SHA-256, so that it still matches the finding; beyond `MOST` subjects their kind is counted, as findings count it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from kafka_fleet.domain import SUBJECT_KINDS

MOST = 100  # subjects of an entry, and settings; findings of this version name some twenty
LONGEST = 300  # bytes of a text that is kept whole: a topic of 249 characters, with its kind and partition
MOST_OF_CLUSTER = 200  # entries; there are some 150 known issues and causes
CLUSTER_BYTES = 2**20  # of all entries of a cluster: an entry at every bound takes a quarter of it
FILE_BYTES = 8 * 2**20  # of the file that is written; it is read up to twice that size, so people may add to it
_CUT = re.compile(r".{60,300}… \(SHA-256 of all [0-9a-f]{64}\)", re.DOTALL)


def limited_text(text: str) -> str:
    """A text as entries keep it. What is cut is longer than what is not, so neither is taken for the other."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= LONGEST:
        return text
    return f"{raw[:LONGEST].decode('utf-8', 'ignore')}… (SHA-256 of all {hashlib.sha256(raw).hexdigest()})"


def as_kept(text: str) -> str:
    """A text that stands in an entry: of this version, or whole, as earlier ones wrote it and people do."""
    return text if _CUT.fullmatch(text) else limited_text(text)


def kept_subjects(subjects: Iterable[str]) -> list[str]:
    """The first `MOST`, and last how many more there are of each further kind: `and 580 more groups`."""
    texts = [limited_text(text) for text in subjects]
    rest = Counter(kind for text in texts[MOST:] if (kind := text.partition(" ")[0]) in SUBJECT_KINDS)
    already = [text for text in texts[MOST:] if text.startswith("and ")][-len(SUBJECT_KINDS) :]
    return texts[:MOST] + [f"and {count:,} more {kind}s" for kind, count in sorted(rest.items())] + already
