"""`python -m kafka_fleet.cli`: the same as `kafka-fleet`."""

import sys

from kafka_fleet.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
