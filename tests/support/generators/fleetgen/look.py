"""One generated cluster at a time: takes its name and a signature, prints what was planted and what was found.

PYTHONPATH=plugins:spark:tests python -m support.generators.fleetgen.look clean-00042 partition_skew
"""

import json
import sys
import tempfile
from pathlib import Path

from support.generators.fleetgen.analysis import analyse
from support.generators.fleetgen.benchmark import fault_specs
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.landing import land_bulk


def main() -> None:
    """Land the cluster in a folder that is kept, analyse it, print the detections and where the facts are."""
    name, signature = sys.argv[1], sys.argv[2]
    if name.startswith("clean-"):
        spec = healthy(int(name.removeprefix("clean-")))
    else:
        spec = next(one for _label, one in fault_specs(range(1, 100)) if one.cluster == name)
    home = Path(tempfile.mkdtemp(prefix="fleetgen-"))
    land_bulk(home, "look", [spec])
    print(
        f"{name}: {spec.release}, {len(spec.brokers)} brokers; {spec.story}; to be found: {sorted(spec.truth)}; {home}"
    )
    for one in analyse(home, [name]):
        if one["signature"] == signature:
            print(json.dumps(one, indent=1, default=str))


if __name__ == "__main__":
    main()
