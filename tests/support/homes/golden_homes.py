"""Homes that older versions of the program wrote (tests/golden/homes): takes a folder, unpacks them there.

One archive per version, named by its commit and made by its own code (make_golden_home.py):

raw-<commit>.tar.xz     one version of the raw tables: three recorded sweeps of the cluster `raw-<commit>`
judged-<commit>.tar.xz  one version of what is published: a day of CLUSTER, each version on a day of its own
"""

import tarfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "homes"
SCENARIO, SWEEPS = "follower331", 3
CLUSTER = "long-life"
OWNER = "owner@example.org"
REFUSED, LOST, DIGESTED = (f"{name}@example.org" for name in ("refused", "lost", "digest"))
MORE = [REFUSED, LOST, DIGESTED]  # owners of the newer homes: turned down, never answered, with a digest
ACCEPTED = "CVE-2021-4104"  # the finding that is acknowledged there


def versions(kind: str) -> list[str]:
    """Names of the archives, `raw` or `judged`, without their ending."""
    return sorted(path.name.removesuffix(".tar.xz") for path in FOLDER.glob(f"{kind}-*.tar.xz"))


def unpack(home: Path, kind: str) -> list[str]:
    """Lay all archives of a kind into one home; gives their names."""
    for name in versions(kind):
        with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
            extract(archive, home)
    return versions(kind)


def extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack an archive whose content is pinned; Python before 3.11.4 knows no filters."""
    archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
    archive.extractall(folder)  # noqa: S202


def pack(home: Path, path: Path) -> None:
    """Write a home as an archive. Equal content is equal bytes, but for what the program dates itself."""
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for file in sorted(home.rglob("*")):
            entry = archive.gettarinfo(str(file), str(file.relative_to(home)))
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            if file.is_file():
                with file.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
    print(path.name, path.stat().st_size)


NEWEST = "raw-14dcb302"  # has every column there is
