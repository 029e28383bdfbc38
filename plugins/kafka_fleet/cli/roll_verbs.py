"""Options of the verbs that are about rolls: takes the function that makes a verb, adds them to the command line."""

import argparse
from collections.abc import Callable
from typing import Protocol

from kafka_fleet.cli.ready import ready
from kafka_fleet.cli.rolls import roll
from kafka_fleet.cli.what_if import what_if_partitions, what_if_rack, what_if_restart
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
    about = "print what would follow from a change, by the newest sweep; exit code 3: something was not measured"
    asked = verb("what-if", what_if_restart, about, None, ds=False)
    asked.add_argument("--cluster", required=True, metavar="ID", help="the cluster")
    for sub in (one, done, asked):
        sub.add_argument("--json", action="store_true", help="print one JSON document")
    _changes(asked)


def _changes(asked: argparse.ArgumentParser) -> None:
    """The changes that `what-if` knows."""
    changes = asked.add_subparsers(dest="change", required=True)

    def change(name: str, run: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        sub = changes.add_parser(name, help=about, description=about)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document")
        return sub

    grown = change("partitions", what_if_partitions, "a topic gets more partitions: what groups would skip")
    grown.add_argument("--topic", required=True, metavar="T", help="the topic")
    grown.add_argument("--add", required=True, type=_above_zero, metavar="N", help="how many partitions are added")
    again = change("restart", what_if_restart, "a broker restarts: connections against the backlog, partitions, groups")
    again.add_argument("--broker", required=True, type=int, metavar="N", help="the broker")
    lost = change("rack", what_if_rack, "a rack is lost: partitions offline or under min ISR, leaders that move")
    lost.add_argument("--rack", required=True, metavar="R", help="the rack, as broker.rack names it")


def _above_zero(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 7):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is no number from 1 to 999999")
    return int(text)
