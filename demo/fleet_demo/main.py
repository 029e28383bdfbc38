"""The main job on real input: starts Kafka clusters, runs both DAGs, delivers letters to a local mailbox, stops all.

    python -m fleet_demo.main            ends by naming the letters it wrote
    python -m fleet_demo.main --serve    keeps everything running, with Airflow's UI

The collector reads these clusters from a fleet file, like any others; no code in it is special to the demo.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

from fleet_demo.airflow_run import Airflow
from fleet_demo.artifacts import ArtifactError, kafka_jars
from fleet_demo.cluster import ClusterError
from fleet_demo.fleet import Fleet
from fleet_demo.mailbox import Mailbox
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home

SWEEPS = 4
PAUSE_S = 6.0  # between sweeps: with what Airflow itself takes, about 15 s from one to the next
ROOT = Path(__file__).resolve().parents[2]


def say(text: str) -> None:
    """One line of progress."""
    print(f"[{datetime.now(UTC):%H:%M:%S}] {text}", flush=True)


def _stop_on_signal(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)  # unwinds the with blocks, which stop what was started


def _wait_past_midnight() -> None:
    """A day's first interval needs its own sweeps: do not start a run of five minutes right before the day ends."""
    now = datetime.now(UTC)
    left = (now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now).total_seconds()
    if left < 360:
        say(f"the UTC day ends in {left:.0f} s; starting when it is over, so that all sweeps are of one day")
        time.sleep(left + 1)


def _table(findings: list[dict[str, object]]) -> None:
    """Verdicts per cluster; then every row that says more than 'exposed'."""
    words = ("confirmed", "look_alike", "exposed", "unknown", "not_affected")
    clusters = sorted({str(one["cluster"]) for one in findings})
    print(f"\n{'cluster':<14}{'release':<9}" + "".join(f"{word:>14}" for word in words))
    for cluster in clusters:
        own = [one for one in findings if one["cluster"] == cluster]
        counts = "".join(f"{sum(one['verdict'] == word for one in own):>14}" for word in words)
        releases = [one["release"] for one in own if one["components"] == ["broker"] and one["release"]]
        print(f"{cluster:<14}{(releases or ['?'])[0]:<9}{counts}")
    print(f"\n{'KAFKA-14334':<14}{'release':<9}{'verdict':>14}{'upgrade to':>14}  where")
    for one in findings:
        if one["advisory"] == "KAFKA-14334":
            where = ", ".join(str(s) for s in one["subjects"]) if isinstance(one["subjects"], list) else ""
            print(
                f"{one['cluster']!s:<14}{one['release'] or '?'!s:<9}{one['verdict']!s:>14}"
                f"{one['upgrade_to'] or '-'!s:>14}  {where or '-'}"
            )


def _run(work: Path, serve: bool) -> int:
    home = work / "home"
    say("fetching Kafka 3.3.1 and 3.3.2 and the Jolokia agent (kept for the next time)")
    for release in ("3.3.1", "3.3.2"):
        kafka_jars(release)
    _wait_past_midnight()
    with Mailbox(work / "mailbox") as mailbox, Fleet(work, say) as fleet:
        fleet.write(work / "fleet.yaml")
        airflow = Airflow(work / "airflow", home, work / "fleet.yaml", mailbox.port)
        airflow.migrate()
        say("Airflow's database is ready; producers and consumers start")
        fleet.load()
        for number in range(1, SWEEPS + 1):
            time.sleep(PAUSE_S)
            airflow.test("fleet_collect")
            say(f"sweep {number} of {SWEEPS} is landed")
        ds = datetime.now(UTC).date().isoformat()
        fleet.unload()
        say(f"judging {ds} with Spark, writing and mailing the letters")
        airflow.test("fleet_health", ds, {"ds": ds, "notify": "always"})
        day = Home(home).day(ds)
        generation = str(current_generation(day.findings))
        _table(json.loads(day.generation(generation).finding_list.read_text(encoding="utf-8")))
        letters = sorted(day.reports.glob("*.html"))
        print("\nLetters:")
        for path in letters:
            print(f"  {path}")
        print(f"Mailbox ({mailbox.count()} mails, Maildir): {mailbox.folder}")
        if not letters or not mailbox.count():
            say("no letter was written or mailed")
            return 1
        if serve:
            fleet.load()
            airflow.standalone(say)
    return 0


def main() -> int:
    """Entry point; exit code 0 when letters were written and mailed, else 1 and a sentence."""
    parser = argparse.ArgumentParser(prog="scripts/demo")
    parser.add_argument("--serve", action="store_true", help="keep it running, with Airflow's UI on 127.0.0.1")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "demo", help="working folder, emptied first")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop_on_signal)
    work: Path = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    os.chdir(work)
    started = time.monotonic()
    try:
        code = _run(work, options.serve)
    except (ArtifactError, ClusterError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("stopped")
        return 130
    say(f"done in {time.monotonic() - started:.0f} s; everything that was started is stopped")
    return code


if __name__ == "__main__":
    sys.exit(main())
