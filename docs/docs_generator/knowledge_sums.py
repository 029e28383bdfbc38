"""The checksums of the program's own pack of knowledge: takes its files, gives SHA256SUMS."""

from kafka_fleet.knowledge.pack import BUILTIN, SUMS, read_folder, sums_of

FILE = f"plugins/kafka_fleet/knowledge/{SUMS}"


def sums() -> str:
    """As sha256sum writes it."""
    return sums_of(read_folder(BUILTIN, strict=False)).decode()
