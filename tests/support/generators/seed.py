"""The seed of whatever is drawn at random; FLEET_SEED names another."""

import os

# one and the same unless told, so that a change is what makes a run fail, and not its luck
SEED = os.environ.get("FLEET_SEED") or "7"
