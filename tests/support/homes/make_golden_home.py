"""Makes a golden home by the code of an old commit: takes its checkout, gives archives for tests/golden/homes.

    git archive COMMIT plugins spark sql templates | tar x -C OLD
    python tests/support/homes/make_golden_home.py OLD NAME --day 2026-11-05 [--judged] [--joined]

raw-NAME.tar.xz     three recorded sweeps as the old code lands them (and joins them), on the day of the recording
judged-NAME.tar.xz  the same sweeps on another day: findings, letters, pointers, runs and the outbox of a mail sent;
                    with --owners the acknowledgement of a finding too, and mails to the owners of golden_homes
"""

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from kafka_fleet.config.acknowledgements import NAME as ACKNOWLEDGEMENTS
from support.homes.golden_homes import (
    ACCEPTED,
    CLUSTER,
    DIGESTED,
    FOLDER,
    LOST,
    MORE,
    OWNER,
    REFUSED,
    SCENARIO,
    SWEEPS,
    pack,
)
from support.homes.recorded import recorded_day, recording
from support.servers.mail_server import Mailbox, mail_server

# what was not recorded: the quorum of one controller, and how far brokers applied its log
QUORUM = {"leader": 1, "leader_epoch": 1, "high_watermark": 100, "replica": 1, "is_voter": True, "log_end_offset": 100}
APPLIED = {"quorum_epoch": 1, "quorum_leader": 1, "applied_metadata_offset": 99, "metadata_load_errors": 0,
           "metadata_apply_errors": 0, "controller_applied_offset": 99, "controller_metadata_errors": 0,
           "controller_queue_ms_p99": 2.0}  # fmt: skip
CONVERTED = {"fetch_conversions": 0, "produce_conversions": 0}  # nor what of records a broker converts
COPIED = {"remote_copy_errors": 0, "remote_copy_lag_bytes": 0}  # nor copies to remote storage
STATES = {"offsets_failed": 0.0, "offsets_loading": 0.0}  # nor the states of a coordinator of 4.0
UNPUSHED = {"client_metrics_detail": "no_samples: no series"}  # nor metrics that clients push
NO_CIRCLE = {"deadlocked_threads": 0}  # nor threads that wait for each other
REQUESTS = ("FetchConsumer", "FetchFollower", "Produce")  # of the tables with most rows, what the signatures look at
# run by the old code: rows by table as dicts, less columns that it does not know; the first called some otherwise
LAND = """
import pickle, sys
from pathlib import Path
from kafka_fleet.store.raw.landing import land
from kafka_fleet.schema.raw_tables import raw_schemas
home, cluster, rows = Path(sys.argv[1]), sys.argv[2], pickle.load(sys.stdin.buffer)
for at, tables in rows:
    kept = {}
    for name, found in tables.items():
        if name in raw_schemas():
            known = set(raw_schemas()[name].names)
            old = {"group_id": "group", "member_id": "member"} if "group" in known else {}
            kept[name] = [{old.get(k, k): v for k, v in row.items() if old.get(k, k) in known} for row in found]
    land(home, cluster, at, kept)
"""
JOIN = """
import sys, time
from pathlib import Path
from kafka_fleet.store.raw.compaction import compact, remove_superseded
compact(Path(sys.argv[1]), sys.argv[2])
remove_superseded(Path(sys.argv[1]), sys.argv[2], time.time() + 2 * 86400)
"""
CLI = "import sys; from kafka_fleet.cli.main import main; sys.exit(main(sys.argv[1:]))"


class Post(Mailbox):
    """Takes what is for OWNER and who gets digests, turns one owner down, and never answers a last one."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {REFUSED: "550 nobody of that name"}

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if envelope.rcpt_tos == [LOST]:
            server.transport.abort()
            return "250 nobody hears this"
        return await super().handle_DATA(server, session, envelope)


def old(
    tree: Path, code: str, *arguments: str, given: bytes | None = None, check: bool = True, **variables: str
) -> None:
    """Run Python of the old checkout; check: it has to succeed."""
    path = os.pathsep.join(str(tree / folder) for folder in ("plugins", "spark"))
    environment = {**os.environ, **variables, "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", code, *arguments], input=given, env=environment, check=check, cwd=tree)


def rows(day: str) -> bytes:
    """The recorded sweeps, as if taken on a day."""
    sweeps: list[Any] = recording(SCENARIO)[:SWEEPS]
    for one in sweeps:
        one.move(date.fromisoformat(day) - date.fromisoformat(recorded_day()))
        leader = one.rows("partitions")[0]
        one.tables["producers"] = [{**{name: leader[name] for name in ("broker", "read_at", "topic", "partition")},
                                    "producer_id": 1, "producer_epoch": 0, "last_sequence": 7}]  # fmt: skip
        one.tables["disks"] = [{"broker": leader["broker"], "read_at": leader["read_at"], "log_dir": "/data",
                                "total_bytes": 2**40, "usable_bytes": 2**39}]  # fmt: skip
        more = {"open_file_descriptors": 300, "max_file_descriptors": 100_000, **APPLIED, **STATES, **CONVERTED}
        one.tables["broker_metrics"] = [{**row, **more, **NO_CIRCLE} for row in one.rows("broker_metrics")]
        one.tables["broker_topics"] = [{**row, **CONVERTED, **COPIED} for row in one.rows("broker_topics")]
        one.tables["sweeps"] = [{**row, **UNPUSHED} for row in one.rows("sweeps")]
        one.tables["quorum_replicas"] = [{**QUORUM, "read_at": leader["read_at"]}]
        one.tables["broker_configs"] = one.rows("broker_configs", is_default=False)
        one.tables["request_times"] = [row for row in one.rows("request_times") if row["request"] in REQUESTS]
        for row in one.rows("declarations"):
            row["declaration"] = json.dumps({**json.loads(row["declaration"]), "id": CLUSTER}, sort_keys=True)
    return pickle.dumps([(one.at, one.tables) for one in sweeps])


def judged(tree: Path, home: Path, day: str, signatures: list[str], owners: list[str]) -> None:
    """Analyze, report and mail by the old code; what is computed again from raw is left out."""
    old(tree, LAND, str(home), CLUSTER, given=rows(day))
    entry = json.loads(recording(SCENARIO)[0].rows("declarations")[0]["declaration"])
    entry |= {"id": CLUSTER, "owners": [OWNER, *owners]}
    entry["jolokia"]["brokers"] = {int(key): url for key, url in entry["jolokia"]["brokers"].items()}
    fleet = home.parent / "fleet.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [entry]}), encoding="utf-8")
    at = ["--home", str(home), "--date", day]
    old(tree, CLI, "analyze", *at, *(word for one in signatures for word in ("--signature", one)))
    if owners:
        accepted = ["--cluster", CLUSTER, "--finding", ACCEPTED, "--reason", "until the roll in December"]
        accepted += ["--owner", OWNER, "--expires", "2026-12-31"]
        old(tree, CLI, "acknowledge", "--fleet", str(fleet), *at, *accepted)
        shutil.copy(fleet.parent / ACKNOWLEDGEMENTS, home)
    old(tree, CLI, "report", "--fleet", str(fleet), *at)
    mailbox = Post()
    with mail_server(mailbox) as port:
        extra = {"from_email": "fleet@example.org", "disable_ssl": True, "disable_tls": True}
        smtp = json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": extra})
        more = {"KAFKA_FLEET_SMTP": smtp, "KAFKA_FLEET_DIGESTS": DIGESTED if owners else ""}
        old(tree, CLI, "mail", "--fleet", str(fleet), *at, check=not owners, **more)
    assert mailbox.recipients == [one for one in (OWNER, *owners) if one not in (REFUSED, LOST)], "not as planned"
    for stage in ("raw", "facts"):
        shutil.rmtree(home / stage)
    for lock in home.rglob(".*.lock"):
        lock.unlink()


def main() -> None:
    """Make one version's archives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("name")
    parser.add_argument("--day", required=True)
    parser.add_argument("--judged", action="store_true")
    parser.add_argument("--signature", action="append", default=[])
    parser.add_argument("--owners", action="store_true", help="the owners of golden_homes, besides OWNER")
    parser.add_argument("--joined", action="store_true")
    parser.add_argument("--raw", action="store_true")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if options.raw:
            home = Path(folder) / "raw"
            old(options.tree, LAND, str(home), f"raw-{options.name}", given=rows(recorded_day()))
            if options.joined:
                old(options.tree, JOIN, str(home), recorded_day())
            pack(home, FOLDER / f"raw-{options.name}.tar.xz")
        if options.judged:
            home = Path(folder) / "judged"
            judged(options.tree, home, options.day, options.signature, MORE if options.owners else [])
            pack(home, FOLDER / f"judged-{options.name}.tar.xz")


if __name__ == "__main__":
    main()
