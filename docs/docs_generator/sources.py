"""Links of an advisory: takes its id and its sources, gives Markdown that leads to the tracker, records and commits."""

import re

from docs_generator.markdown import escape

_TRACKER = "https://issues.apache.org/jira/browse/"
_RECORD = "https://www.cve.org/CVERecord?id="
_COMMIT = "https://github.com/apache/kafka/commit/"
_PULL = "https://github.com/apache/kafka/pull/"
_NAMES = [  # how a source begins, what in it is a name, the address that the name is put behind
    ("", r"\bKAFKA-\d+", _TRACKER),
    ("", r"\bCVE-\d{4}-\d+", _RECORD),
    ("git ", r"\b(?=\w*[0-9])(?=\w*[a-f])[0-9a-f]{9,40}\b", _COMMIT),
    ("apache/kafka pull", r"\b\d{4,6}\b", _PULL),
]
_LIST = "Apache Kafka list of security vulnerabilities"


def linked(source: str) -> str:
    """One source with its issues, records, commits and pull requests as links."""
    if source == _LIST:
        return f"[{_LIST}](https://kafka.apache.org/cve-list)"
    text = escape(source)
    for begins, pattern, address in _NAMES:
        if source.startswith(begins):
            text = re.sub(pattern, rf"[\g<0>]({address}\g<0>)", text)
    return text


def own_link(name: str) -> str:
    """The advisory's own record, or nothing where its id is this project's."""
    if not re.fullmatch(r"KAFKA-\d+|CVE-[\d-]+", name):
        return ""
    return linked(name)
