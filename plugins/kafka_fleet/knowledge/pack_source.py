"""A pack that somebody was given: takes the path of an archive or a folder, gives its files if its signature is right.

The signature is looked at first: of what is not signed nothing is parsed where KAFKA_FLEET_KNOWLEDGE_KEY names a key.
"""

from pathlib import Path

from kafka_fleet.knowledge.pack import MOST_BYTES, SUMS, PackError, read_folder, too_large
from kafka_fleet.knowledge.pack_archive import read_archive
from kafka_fleet.knowledge.pack_signature import ENDING, check_signature
from kafka_fleet.settings import read_settings


def given_files(source: Path) -> dict[str, bytes]:
    """The files by name; whether they are a whole pack is not looked at yet. Raises PackError, OSError."""
    key = read_settings("knowledge_key").knowledge_key
    if source.is_dir():
        if key:
            _signed(source / SUMS, Path(key))
        return read_folder(source)
    if not source.is_file():
        raise PackError(f"{source}: there is no such file or folder")
    if source.stat().st_size > MOST_BYTES:
        raise too_large(str(source))
    content = _signed(source, Path(key)) if key else source.read_bytes()
    return read_archive(content, str(source))


def _signed(file: Path, key: Path) -> bytes:
    """What is signed is what is read: the file is read once."""
    if not file.is_file():
        raise PackError(f"{file}: there is no such file")
    content, beside = file.read_bytes(), file.with_name(file.name + ENDING)
    check_signature(content, beside.read_bytes() if beside.is_file() else None, key, str(file))
    return content
