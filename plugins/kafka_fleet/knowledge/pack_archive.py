"""A pack as one file: takes files by name and gives a .tar.gz of equal bytes for equal content; reads one with care.

An archive comes from elsewhere: nothing in it is unpacked by tarfile. Only regular files with names of a pack are
taken, within one folder at most, and no more of them or of their bytes than a pack has.
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping

from kafka_fleet.knowledge.pack import HEAD, MOST_BYTES, MOST_FILES, PackError, is_pack_file, too_large

ENDING = ".tar.gz"


def archive_of(files: Mapping[str, bytes], folder: str) -> bytes:
    """The archive: names in their order below one folder, no times, no owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode = len(files[name]), 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    return gzip.compress(packed.getvalue(), 9, mtime=0)


def read_archive(content: bytes, what: str) -> dict[str, bytes]:
    """The files of a pack by name. Raises PackError for what is no archive, or has anything else in it."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(_unpacked(content, what)), mode="r:") as archive:
            for entry in archive:
                if entry.isdir():
                    continue
                name = _name(entry, what)
                if name in found:
                    raise PackError(f"{what}: has {name} twice")
                if len(found) >= MOST_FILES:
                    raise too_large(what)
                file = archive.extractfile(entry)
                found[name] = file.read() if file else b""
                if len(found[name]) != entry.size:
                    raise PackError(f"{what}: {name} is cut short")
    except (tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError, UnicodeError, ValueError) as error:
        if isinstance(error, PackError):
            raise
        raise PackError(f"{what}: is no whole {ENDING}") from None
    return found


def _unpacked(content: bytes, what: str) -> bytes:
    """At most so much as a pack and the heads of its entries have: a small archive may hold endless zeros."""
    most = MOST_BYTES + 2 * 512 * MOST_FILES
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        found = packed.read(most + 1)
    if len(found) > most:
        raise too_large(what)
    return found


def _name(entry: tarfile.TarInfo, what: str) -> str:
    """Its name in the pack. The folder around the pack is whatever stands before pack.yaml or issues/."""
    shown = entry.name[:100]
    if not entry.isreg() or entry.issparse():
        raise PackError(f"{what}: {shown!r} is a link or a device; a pack has files alone")
    name = entry.name.removeprefix("./")
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or len(parts) > 3:
        raise PackError(f"{what}: {shown!r} leads out of the pack")
    for taken in (name, "/".join(parts[1:])):
        if is_pack_file(taken):
            return taken
    raise PackError(f"{what}: {shown!r} is no file of a pack, such as {HEAD}")
