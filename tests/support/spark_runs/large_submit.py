"""Handed to spark-submit in place of spark/submit.py: takes the same arguments, and a day of few rows for a large one.

What reads more than MANY rows, eight fact tables of a recorded cluster, is then written by Spark's own committer.
"""

import sys

import submit
from fleet_spark import query_profiles

MANY = 200

if __name__ == "__main__":
    query_profiles.FEW_ROWS = MANY
    submit.main(sys.argv[1:])
