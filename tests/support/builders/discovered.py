"""What discover reads and writes in its tests: a list of two clusters, and a fleet file that somebody wrote by hand."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data/discover"
LIST = "payments b1:9092,b2:9092 owner=a@example.org env=prod\norders o1:9092 owner=a@example.org env=prod\n"
BY_HAND = """# the fleet of the platform team
version: 1

clusters:
    - id: lab          # four blanks, as we like it
      environment: development
      owners: [lab@example.org]
      bootstrap_servers: ["127.0.0.1:9092"]
      metrics: {url_template: "http://{host}:9404/metrics"}
    # the end
"""
