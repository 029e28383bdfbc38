"""What a job on a Spark cluster is given: writes the code, its rules and the SQL as one zip for `--py-files`."""

import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from kafka_fleet.base.resources import sql_dir

PACKAGES = ("kafka_fleet", "fleet_spark")
_LEFT_OUT = {"__pycache__", "_sql", "_sweeps", "_templates"}


def write_bundle(folder: Path) -> Path:
    """Write `kafka-fleet-<digest>.zip` into a folder; equal code and SQL give equal bytes. Gives its path.

    The SQL is where a wheel has it, so that `kafka_fleet.base.resources` finds it once the zip is unpacked.
    """
    content = dict(_files())
    digest = hashlib.sha256()
    for name, found in sorted(content.items()):
        digest.update(f"{name} {len(found)} ".encode() + found)
    path = folder / f"kafka-fleet-{digest.hexdigest()[:12]}.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name, found in sorted(content.items()):
            bundle.writestr(ZipInfo(name), found, ZIP_DEFLATED)
    return path


def _files() -> Iterator[tuple[str, bytes]]:
    roots = [(sql_dir(), "kafka_fleet/_sql")]
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None:
            raise ModuleNotFoundError(f"{package} is not installed, so it cannot be shipped", name=package)
        roots += [(Path(place), package) for place in spec.submodule_search_locations or ()]
    for root, name in roots:
        for path in root.rglob("*"):
            relative = path.relative_to(root)
            if path.is_file() and not _LEFT_OUT & set(relative.parts):
                yield f"{name}/{relative.as_posix()}", path.read_bytes()
