"""Handed to spark-submit in place of spark/submit.py: takes the same arguments, and every day for a large one.

Spark's own committer then writes each fact table, however few rows it has.
"""

import sys

import submit
from fleet_spark import ways

if __name__ == "__main__":
    ways.FEW_ROWS = 0
    submit.main(sys.argv[1:])
