"""Options of the verbs that are about rolls: takes the function that makes a verb, adds them to the command line."""

import argparse
from collections.abc import Callable
from typing import Protocol

from kafka_fleet.cli.ready import ready
from kafka_fleet.cli.rolls import roll
from kafka_fleet.roll.readiness import FRESH


class MakeVerb(Protocol):
    """Makes a verb that takes a home, and no fleet file or day unless they are asked for."""

    def __call__(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int],
        about: str,
        fleet: bool | None,
        home: bool = True,
        ds: bool = True,
    ) -> argparse.ArgumentParser:
        """The verb's parser."""


def add_roll_verbs(verb: MakeVerb, day: Callable[[str], str]) -> None:
    """`ready`, `roll` and `what-if`. day: reads a date."""
    about = "say whether brokers may be stopped now; exit code 0 ready, 1 not ready, 3 something was not measured"
    one = verb("ready", ready, about, None, ds=False)
    one.add_argument("--cluster", required=True, metavar="ID", help="the cluster")
    one.add_argument("--to", metavar="RELEASE", help="the release to roll to, such as 4.1.0")
    one.add_argument(
        "--broker", action="append", default=[], type=int, metavar="N", help="only this broker; repeatable"
    )
    one.add_argument(
        "--checked", action="append", default=[], metavar="CODE",
        help="a reason that somebody has seen to by hand: it is shown and decides nothing; repeatable",
    )  # fmt: skip
    minutes = round(FRESH.total_seconds() / 60)
    one.add_argument(
        "--max-age", type=int, default=minutes, metavar="MIN", help=f"how old the sweep may be; default: {minutes}"
    )
    about = "print what each roll or restart of a judged day did, broker by broker"
    done = verb("roll", roll, about, None, ds=False)
    done.add_argument("--cluster", required=True, metavar="ID", help="the cluster")
    done.add_argument(
        "--day", type=day, metavar="D", help="the day, YYYY-MM-DD in UTC; default: the newest one with a restart"
    )
    for sub in (one, done):
        sub.add_argument("--json", action="store_true", help="print one JSON document")
