"""Names of KRaft metadata.version levels: takes the level that brokers finalized, gives the name that notes use.

Source: MetadataVersion.java of Kafka 4.1. A level beyond the list is of a later release and has no name here.
"""

_NAMES = """3.0-IV1 3.1-IV0 3.2-IV0 3.3-IV0 3.3-IV1 3.3-IV2 3.3-IV3 3.4-IV0 3.5-IV0 3.5-IV1 3.5-IV2 3.6-IV0 3.6-IV1
3.6-IV2 3.7-IV0 3.7-IV1 3.7-IV2 3.7-IV3 3.7-IV4 3.8-IV0 3.9-IV0 4.0-IV0 4.0-IV1 4.0-IV2 4.0-IV3 4.1-IV0 4.1-IV1"""


def metadata_version(level: int | None) -> str | None:
    """The name of a finalized level, 1-based; None when it is not known."""
    names = _NAMES.split()
    return names[level - 1] if level is not None and 1 <= level <= len(names) else None
