"""The knowledge as a pack: takes a folder, or bytes by name, gives its version, its checksum and which one is used.

    pack.yaml                name, version, format, and the least version of the program
    CHANGELOG.md             what changed with which version
    SHA256SUMS               a line for each other file, as sha256sum writes and checks it
    issues/<id>.yaml         known issues
    releases.yaml, vendors.yaml, refused_requests.yaml
    metric_names.yaml        how exporters call what is measured; packs up to 2026.11.26 have none

The program has a pack of its own: this folder. Signatures and conditions are queries, so they are the program's.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.version import __version__

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
FORMAT = 1
HEAD, CHANGES, SUMS = "pack.yaml", "CHANGELOG.md", "SHA256SUMS"
TABLES = ("releases.yaml", "vendors.yaml", "refused_requests.yaml")
METRICS = "metric_names.yaml"  # without it the program's own is read
BUILTIN = Path(__file__).parent
MOST_FILES, MOST_BYTES = 5_000, 50_000_000
VERSION = r"\d{1,6}(?:\.\d{1,6}){1,3}"
_ISSUE = re.compile(r"issues/[A-Za-z0-9][A-Za-z0-9.-]{0,80}\.yaml")


class PackError(UsageError):
    """A pack cannot be used; the text says why, one fault a line."""


class PackHead(BaseModel):
    """pack.yaml. program: the least version of the program that knows all that the pack speaks of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    version: str = Field(pattern=f"^{VERSION}$")
    format: int = Field(strict=True, ge=1)
    program: str = Field(pattern=f"^{VERSION}$")


class Pack(NamedTuple):
    """A pack in a folder whose files are as its checksum says. checksum: SHA-256 of SHA256SUMS, in hex."""

    folder: Path
    version: str
    checksum: str

    @property
    def builtin(self) -> bool:
        """Whether it is the program's own."""
        return self.folder == BUILTIN

    @property
    def handle(self) -> str:
        """What another process finds it by: `builtin`, or its version."""
        return "builtin" if self.builtin else self.version

    def __str__(self) -> str:
        return f"{self.version} ({self.checksum[:12]})"


def numbers(version: str) -> tuple[int, ...]:
    """A version in its order; 1.2 and 1.2.0 are the same."""
    found = [int(part) for part in version.split(".")]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def is_pack_file(name: str) -> bool:
    """Whether a pack may have a file of this name, below its folder."""
    return name in (HEAD, CHANGES, SUMS, *TABLES, METRICS) or _ISSUE.fullmatch(name) is not None


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """SHA256SUMS of the files, without itself, in the order of their names."""
    rows = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files) if name != SUMS)
    return "".join(rows).encode()


def read_folder(folder: Path, strict: bool = True) -> dict[str, bytes]:
    """The files of a pack in a folder. strict: what is none of a pack is a fault. Raises PackError, OSError."""
    found: dict[str, bytes] = {}
    size = 0
    for path in sorted(folder.rglob("*") if strict else [folder, *folder.glob("*"), *folder.glob("issues/*")]):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            if strict or is_pack_file(name):
                raise PackError(f"{folder}: {name} is a link; a pack has none")
            continue
        if path.is_dir() or (not strict and not is_pack_file(name)):
            continue
        if not is_pack_file(name) and not name.endswith(".sig"):
            raise PackError(f"{folder}: {name[:100]!r} is no file of a pack")
        size += path.stat().st_size
        if len(found) >= MOST_FILES or size > MOST_BYTES:
            raise too_large(str(folder))
        if is_pack_file(name):
            found[name] = path.read_bytes()
    return found


def too_large(what: str) -> PackError:
    """The sentence on what no pack is."""
    return PackError(f"{what}: is too large: a pack has at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes")


def checked_head(files: Mapping[str, bytes], what: str) -> PackHead:
    """The head of a pack whose files are all there and as SHA256SUMS says. Raises PackError with what is wrong."""
    absent = [name for name in (HEAD, CHANGES, SUMS, *TABLES) if name not in files]
    if absent:
        raise PackError(f"{what}: is no whole pack: {', '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing")
    if not any(_ISSUE.fullmatch(name) for name in files):
        raise PackError(f"{what}: is no whole pack: it has no known issue")
    if files[SUMS] != (right := sums_of(files)):
        said, found = (set(text.decode(errors="replace").splitlines()) for text in (files[SUMS], right))
        names = sorted({line.partition("  ")[2][:100] for line in said ^ found})
        raise PackError(f"{what}: {SUMS} does not fit: {', '.join(names[:5]) or 'its lines are in another order'}")
    return _head(files[HEAD], what)


def _head(text: bytes, what: str) -> PackHead:
    try:
        head = PackHead.model_validate(yaml.safe_load(text.decode()))
    except (yaml.YAMLError, UnicodeDecodeError):
        raise PackError(f"{what}: {HEAD}: cannot be read as YAML") from None
    except ValidationError as error:
        raise PackError(f"{what}: {HEAD}: {'; '.join(describe_errors(error, HEAD))}") from None
    if head.format != FORMAT:
        raise PackError(f"{what}: has the format {head.format}, this program ({__version__}) reads {FORMAT}")
    if numbers(head.program) > numbers(__version__):
        raise PackError(f"{what}: needs the program from {head.program} on; this one is {__version__}")
    return head


def checksum_of(sums: bytes) -> str:
    """What identifies the content of a pack."""
    return hashlib.sha256(sums).hexdigest()


def read_pack(folder: Path) -> Pack:
    """A pack, its files held to its checksums. Raises PackError, OSError."""
    files = read_folder(folder)
    head = checked_head(files, str(folder))
    return Pack(folder, head.version, checksum_of(files[SUMS]))


@cache
def builtin_pack() -> Pack:
    """The program's own; its checksum is of the files as they are."""
    files = read_folder(BUILTIN, strict=False)
    return Pack(BUILTIN, _head(files[HEAD], str(BUILTIN)).version, checksum_of(sums_of(files)))


_used: list[Pack] = []  # the last one is used; none: the program's own


def used_pack() -> Pack:
    """The pack that this process judges and writes by."""
    return _used[-1] if _used else builtin_pack()


def knowledge_folder() -> Path:
    """Where its files are."""
    return _used[-1].folder if _used else BUILTIN


def use_pack(pack: Pack) -> None:
    """From now on this process uses this one."""
    _used[:] = [pack]


@contextmanager
def using(pack: Pack) -> Iterator[None]:
    """For the length of the block."""
    before = list(_used)
    use_pack(pack)
    try:
        yield
    finally:
        _used[:] = before


def per_pack(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Caches what a function gives, for each pack apart; a folder's files never change while it is used."""

    def of_folder(_folder: Path, *given: Given.args, **named: Given.kwargs) -> Answer:
        return function(*given, **named)

    kept: Callable[..., Answer] = cache(of_folder)

    @wraps(function)
    def asked(*given: Given.args, **named: Given.kwargs) -> Answer:
        return kept(knowledge_folder(), *given, **named)

    return asked
