"""Builds of vendors: takes a text such as 7.4.1-ccs, gives the Apache release that it is at least as patched as.

A vendor takes a release or the head of its branch and adds fixes, so a build has what its release has, and perhaps
more: what the release lacks may be in it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.base.yaml import load_yaml
from kafka_fleet.knowledge.pack import knowledge_folder, per_pack
from kafka_fleet.knowledge.releases import catalogue
from kafka_fleet.knowledge.versions import Release, apache_release, parse_line, parse_release


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class VendorLine(_Strict):
    """One line of a vendor. holds: build number -> the Apache release that it and later ones have whole.

    carries: advisories that all Apache releases of the line have, and that some build up to `newest` fixes.
    """

    apache: str
    newest: str
    holds: dict[str, str] = {}
    carries: tuple[str, ...] = ()


class Vendor(_Strict):
    """What follows the numbers of its builds, and its lines; without any the numbers are Apache's own."""

    name: str = Field(min_length=3)
    qualifier: str
    lines: dict[str, VendorLine] = {}


@dataclass(frozen=True)
class Build:
    """A vendor's build. base: the Apache release that it has whole; None where only its line is known.

    compared: whether the vendor's own fixes are known, which are `carries`.
    """

    text: str
    vendor: str
    line: tuple[int, ...]
    base: Release | None
    compared: bool = False
    carries: tuple[str, ...] = ()

    @property
    def rest(self) -> tuple[Release, ...]:
        """The releases of its Apache line from its base on: it has at least the first of them."""
        return tuple(r for r in catalogue().dates if r.line == self.line and (self.base is None or r >= self.base))

    @property
    def floor(self) -> str:
        """What it is at least as patched as, in words."""
        line = ".".join(map(str, self.line))
        return f"at least as patched as Apache {self.base}" if self.base else f"built on Apache {line}"


@per_pack
def load_vendors(path: Path | None = None) -> dict[str, Vendor]:
    """Every vendor by its key; default: of the pack that is used.

    Raises ValueError for a file that is not valid, or names no release of Apache.
    """
    file = path or knowledge_folder() / "vendors.yaml"
    found = {key: Vendor.model_validate(one) for key, one in load_yaml(file)["vendors"].items()}
    for vendor in found.values():
        for own, line in vendor.lines.items():
            for build, text in line.holds.items():
                held, number = apache_release(text), apache_release(build)
                if held not in catalogue().dates or held.line != parse_line(line.apache) or number.line_text != own:
                    raise ValueError(
                        f"{file.name}: {vendor.name} {build}: {text} is no release of Apache {line.apache}"
                    )
    return found


def vendor_build(text: str | None) -> Build | None:
    """The build, None for Apache's own releases, for vendors that are not known and for lines that they have not."""
    release = parse_release(text)
    if release is None or release.apache:
        return None
    for vendor in load_vendors().values():
        if not re.fullmatch(vendor.qualifier, release.qualifier):
            continue
        number = Release(release.numbers)
        if not vendor.lines:
            return Build(str(release), vendor.name, number.line, number) if number in catalogue().dates else None
        line = vendor.lines.get(number.line_text)
        if line is None:
            return None
        held = [apache_release(has) for build, has in line.holds.items() if apache_release(build) <= number]
        compared = number <= apache_release(line.newest)
        return Build(
            str(release), vendor.name, parse_line(line.apache), max(held, default=None), compared, line.carries
        )
    return None


def lines_with(vendor: str, release: Release) -> str | None:
    """The vendor's first line built on that Apache line or a later one, None where it numbers as Apache does."""
    for one in load_vendors().values():
        later = [own for own, line in one.lines.items() if parse_line(line.apache) >= release.line]
        if one.name == vendor and later:
            return min(later, key=parse_line)
    return None
