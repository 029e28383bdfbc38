"""Health check of a container that has no page of its own: is this host's job of Airflow's known to be alive?

    python scripts/job_alive.py TriggererJob

Takes a type of Airflow's table `job`; ends with 0 when one of that type on this host wrote its heartbeat within LATE_S
seconds. It asks the database alone: `airflow jobs check` imports all of Airflow, which costs seconds of CPU each time.
"""

import os
import socket
import sys

import psycopg2

LATE_S = 120
QUERY = """
SELECT count(*) FROM job
WHERE job_type = %s AND hostname = %s AND state = 'running'
    AND latest_heartbeat > now() - make_interval(secs => %s)
"""


def alive(job: str, host: str) -> bool:
    """Whether such a job of this host is. Raises psycopg2.Error."""
    url = os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"].replace("postgresql+psycopg2://", "postgresql://", 1)
    connection = psycopg2.connect(url, connect_timeout=10)
    try:
        with connection.cursor() as cursor:
            cursor.execute(QUERY, (job, host, LATE_S))
            return cursor.fetchone() != (0,)
    finally:
        connection.close()


def main(job: str) -> int:
    """Exit code: 0 alive, 1 not, or not known, with a sentence."""
    host = socket.gethostname()
    try:
        if alive(job, host):
            return 0
    except psycopg2.Error as error:
        print(f"the database does not say whether {job} of {host} is alive: {error}".strip(), file=sys.stderr)
        return 1
    print(f"no {job} of {host} has written its heartbeat for {LATE_S} s", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
