"""Whether a pack fits this program: takes one in a folder, holds each file to the checks of `kafka-fleet check`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import ValidationError

from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.version import __version__
from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.knowledge.advisories import AdvisoryError, load_advisories
from kafka_fleet.knowledge.catalogue_check import check_catalogues
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.knowledge.pack import METRICS, Pack, PackError, using
from kafka_fleet.knowledge.refused_requests import refused_requests
from kafka_fleet.knowledge.releases import ReleaseError, catalogue
from kafka_fleet.knowledge.vendors import load_vendors


class Contents(NamedTuple):
    """What a pack has. counts: of its entries by their kind; as_of: the day up to which its releases are complete."""

    counts: Mapping[str, int]
    as_of: str


def check_pack(pack: Pack) -> Contents:
    """Load all of it as a day's judgement would. Raises PackError with every fault, one a line."""
    faults: list[str] = []
    with using(pack):
        loads: dict[str, Callable[[], object]] = {
            "releases.yaml": catalogue,
            "vendors.yaml": load_vendors,
            "refused_requests.yaml": refused_requests,
            METRICS: shipped_names,
        }
        for name, load in loads.items():
            faults += _faults(name, load)
        if not faults:  # what known issues say is checked against the releases
            # a condition that nobody asks for is one of a program that is newer than the pack
            faults += check_catalogues(asked=False).faults
        if faults:
            text = "\n".join(one.replace(f"{pack.folder}/", "") for one in faults)
            raise PackError(f"the pack {pack.version} does not fit this program ({__version__}):\n{text}")
        return contents_of(pack)


def contents_of(pack: Pack) -> Contents:
    """What a pack that fits has. Raises PackError where its known issues or releases cannot be read."""
    with using(pack):
        try:
            known = catalogue()
            counts = {
                "known issues": len(load_advisories()),
                "releases": len(known.dates),
                "vendors": len(load_vendors()),
                "refused requests": len(refused_requests()),
                "metric names": len(shipped_names().sources) + len(shipped_names().clients),
            }
        except (AdvisoryError, ReleaseError, ValueError) as error:
            raise PackError(f"the pack {pack.version} cannot be read: {error}") from error
    return Contents(counts, known.as_of.isoformat())


def _faults(name: str, load: Callable[[], object]) -> list[str]:
    try:
        load()
    except ValidationError as error:
        return [f"{name}: {one}" for one in describe_errors(error, name)]
    except (ReleaseError, FleetFileError) as error:
        return [text if text.startswith(name) else f"{name}: {text}" for text in str(error).splitlines()]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        text = str(error).splitlines()[0] if str(error) and not isinstance(error, KeyError | AttributeError) else ""
        return [text if text.startswith(name) else f"{name}: is not what it should be{f': {text}' if text else ''}"]
    return []
