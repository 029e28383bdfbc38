"""Packs of knowledge beside the program: takes a home, installs, lists and chooses them.

    knowledge/<version>/...         the files of a pack; SHA256SUMS is written last in a bucket
    knowledge/_current.json         {"version": ..., "checksum": ..., "older": ...}: the one that is used; none: builtin

The setting KAFKA_FLEET_KNOWLEDGE goes before the pointer. An installed pack that is older than the program's own is
used only where somebody said so: a newer program brings newer knowledge with it.
"""

import json
import logging
import os
import re
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp

from kafka_fleet.base.errors import UsageError
from kafka_fleet.knowledge.pack import (
    SUMS,
    VERSION,
    Pack,
    PackError,
    builtin_pack,
    checked_head,
    checksum_of,
    is_pack_file,
    numbers,
    read_pack,
    use_pack,
)
from kafka_fleet.knowledge.pack_check import check_pack
from kafka_fleet.settings import read_settings
from kafka_fleet.store.bucket import is_bucket_path
from kafka_fleet.store.files import list_names, read_all, read_file, replace_file
from kafka_fleet.store.home_beside import Packs
from kafka_fleet.store.versions import NewerVersion, document

log = logging.getLogger(__name__)
BUILTIN = "builtin"
SCHEMA_VERSION = 1
_VERSION = re.compile(VERSION)


def installed_versions(home: Path) -> list[str]:
    """Versions of the packs of a home, the newest first."""
    found = [name for name in list_names(Packs(home).folder) if _VERSION.fullmatch(name)]
    return sorted((name for name in found if (Packs(home).pack(name) / SUMS).is_file()), key=numbers, reverse=True)


def installed_pack(home: Path, version: str) -> Pack:
    """One of them, held to its checksums. Raises PackError, OSError."""
    if not _VERSION.fullmatch(version):
        raise PackError(f"{version[:40]!r} is neither a version of a pack nor {BUILTIN}")
    folder = Packs(home).pack(version)
    try:
        sums = read_file(folder / SUMS)
    except (FileNotFoundError, NotADirectoryError):
        there = ", ".join(installed_versions(home)) or "none"
        raise PackError(f"no pack {version} is installed under {home}; there is: {there}") from None
    pack = _checked(folder, checksum_of(sums))
    if pack.version != version:
        raise PackError(f"{folder}: is the pack {pack.version}")
    return pack


@cache
def _checked(folder: Path, checksum: str) -> Pack:
    """A folder's files are read once for each content of SHA256SUMS."""
    return _copied(folder, checksum) if is_bucket_path(folder) else read_pack(folder)


def _copied(folder: Path, checksum: str) -> Pack:
    """A pack in a bucket is copied to this machine once, into a folder that nobody else may write."""
    kept = Path(gettempdir()) / f"kafka-fleet-knowledge-{os.getuid()}-{checksum}"
    with suppress(PackError, OSError):
        pack, of = read_pack(kept), kept.lstat()
        if pack.checksum == checksum and (of.st_uid, stat.S_IMODE(of.st_mode)) == (os.getuid(), 0o700):
            return pack
    names = [line.partition("  ")[2] for line in read_file(folder / SUMS).decode(errors="replace").splitlines()]
    if not all(map(is_pack_file, names)):
        raise PackError(f"{folder}: {SUMS} names what is no file of a pack")
    contents = read_all(lambda name: read_file(folder / name), [*names, SUMS], folder)
    files = dict(zip([*names, SUMS], contents, strict=True))
    head = checked_head(files, str(folder))
    made = Path(mkdtemp(prefix="kafka-fleet-knowledge-", dir=gettempdir()))
    _write(made, files)
    shutil.rmtree(kept, ignore_errors=True)
    with suppress(OSError):  # another process was faster, or the name is another user's: then it is this process' alone
        made = made.rename(kept)
    return Pack(made, head.version, checksum_of(files[SUMS]))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    (folder / "issues").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def staged(files: Mapping[str, bytes], what: str, folder: Path) -> Pack:
    """The files in a folder of this machine, as a pack that fits this program. Raises PackError, OSError."""
    head = checked_head(files, what)
    _write(folder, files)
    pack = Pack(folder, head.version, checksum_of(files[SUMS]))
    check_pack(pack)
    return pack


def install(home: Path, files: Mapping[str, bytes], what: str, older: bool) -> tuple[Pack, bool]:
    """The installed pack, and whether it was not there before. What is half written is never taken for one.

    older: it may be older than the program's own or one that is installed. Raises PackError, OSError.
    """
    with TemporaryDirectory(prefix="kafka-fleet-knowledge-") as temporary:
        pack = staged(files, what, Path(temporary))
        own, packs = builtin_pack(), {numbers(one): one for one in installed_versions(home)}
        name = packs.get(numbers(pack.version))
        there = installed_pack(home, name) if name else own if numbers(own.version) == numbers(pack.version) else pack
        if there.checksum != pack.checksum:
            raise PackError(f"{what}: there is {there} with other content: a changed pack has a new version")
        if name:
            return there, False
        newest = max([own.version, *packs.values()], key=numbers)
        if numbers(pack.version) < numbers(newest) and not older:
            raise PackError(f"{what}: {pack.version} is older than {newest}; --older installs it nevertheless")
        folder = Packs(home).pack(pack.version)
        if is_bucket_path(home):
            for name in sorted(files, key=lambda one: one == SUMS):
                replace_file(folder / name, files[name])
        else:
            folder.parent.mkdir(parents=True, exist_ok=True)
            made = Path(mkdtemp(prefix=".installing-", dir=folder.parent))
            try:
                for name, content in files.items():
                    replace_file(made / name, content)
                made.chmod(0o755)
                made.rename(folder)
            finally:
                shutil.rmtree(made, ignore_errors=True)
    return installed_pack(home, pack.version), True


def named_pack(home: Path | None, name: str) -> Pack:
    """builtin, a version that is installed, or the path of a folder. Raises PackError, OSError."""
    if name == BUILTIN:
        return builtin_pack()
    if Path(name).is_absolute():
        return read_pack(Path(name))
    if home is None:
        raise PackError(f"the pack {name} is of a home, and none is given")
    return installed_pack(home, name)


def choose(home: Path, name: str, older: bool) -> Pack:
    """Have it used from now on. Raises PackError where it does not fit, or is older and nobody said so; OSError."""
    pack = named_pack(home, name)
    if not pack.builtin:
        check_pack(pack)
        if numbers(pack.version) < numbers(builtin_pack().version) and not older:
            own = builtin_pack().version
            raise PackError(f"{pack.version} is older than the program's own, {own}; --older uses it nevertheless")
    content = {"schema_version": SCHEMA_VERSION, "version": pack.handle, "checksum": pack.checksum, "older": older}
    replace_file(Packs(home).pointer, json.dumps(content, sort_keys=True).encode())
    return pack


def chosen_pack(home: Path) -> Pack:
    """The pack to be used: the setting's, else the pointer's, else the program's own. Raises PackError, OSError."""
    if wanted := read_settings("knowledge").knowledge:
        return named_pack(home, wanted)
    path = Packs(home).pointer
    try:
        found = document(read_file(path), str(path))
        version, checksum, older = str(found["version"]), found["checksum"], found["older"]
    except (FileNotFoundError, NotADirectoryError):  # a home that is none is said by what reads it
        return builtin_pack()
    except (ValueError, KeyError, TypeError) as error:
        raise PackError(f"{path}: names no pack ({error}); `kafka-fleet knowledge use` names one again") from error
    if version == BUILTIN:
        return builtin_pack()
    pack = installed_pack(home, version)
    if pack.checksum != checksum:
        raise PackError(f"{pack.folder}: is not what was chosen: its checksum is {pack.checksum[:12]}")
    if numbers(version) < numbers(builtin_pack().version) and not older:
        log.warning("the pack %s is not used: the program's own, %s, is newer", version, builtin_pack().version)
        return builtin_pack()
    return pack


def use_chosen(home: Path) -> Pack:
    """This process uses that pack from now on. Raises as chosen_pack."""
    pack = chosen_pack(home)
    use_pack(pack)
    return pack


def use_for_sweeps(home: Path) -> str | None:
    """This process measures by the names of that pack. A sentence where it cannot be had: then by the program's own.

    What is not measured now never is, so nothing of a pack stops a sweep.
    """
    try:
        use_chosen(home)
    except (UsageError, NewerVersion, OSError) as error:
        use_pack(builtin_pack())
        return f"metric names are the program's own, since the chosen knowledge cannot be used: {error}"
    return None


def use_named(home: Path, name: str | None) -> Pack:
    """This process uses the pack that another process named; None: as use_chosen."""
    if name is None:
        return use_chosen(home)
    pack = named_pack(home, name)
    use_pack(pack)
    return pack
