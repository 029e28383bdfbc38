"""A disk that is full, read-only or broken under facts, judgement, letters, mail: one failure, all as it was, healed.

The day was judged, told and mailed once; a second run finds more. What failed is tried again from where it failed on.
"""

import errno
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kafka_fleet.cli.main import main
from kafka_fleet.mail.delivery import LEASE
from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.mail.smtp_settings import SmtpSettings
from support.builders.computed_days import (
    CLUSTERS,
    TABLES,
    copies,
    counted,
    drawn_once,
    facts,
    first,
    judge,
    judged,
    report,
)
from support.builders.letter_rows import DS
from support.builders.published_days import confirmed, day, dossier, exposed, publish_day
from support.failures.broken_disks import FULL, READ_ONLY, ROOT, disk, fails_at, full, read_only
from support.failures.crashes import EVERY, in_memory, numbers, on_their_way, tree
from support.failures.mail_runs import age_outbox
from support.homes.stored_days import entries, published
from support.servers.mail_server import Mailbox

pytestmark = pytest.mark.fault(43)
CLUSTER, OWNERS = CLUSTERS[1], ["first@example.org", "second@example.org"]
STEPS = ("facts", "judge", "report", "mail")
OUTBOX = f"outbox/ds={DS}/{CLUSTER}.json"


class Story(NamedTuple):
    """A day before its second run, and after it where nothing failed; a mail server."""

    template: Path
    whole: Path
    smtp: SmtpSettings
    box: Mailbox


class Failed(NamedTuple):
    step: str
    error: OSError


def second(home: Path, smtp: SmtpSettings, steps: Sequence[str] = STEPS) -> Failed | None:
    """The second run's steps, or some of them, until one fails."""
    work = {
        "facts": lambda: facts(home, "g0002", 3),
        "judge": lambda: judge(home, "g0002", confirmed()),
        "report": lambda: report(home, "g0002"),
        "mail": lambda: mail_letter(home, DS, CLUSTER, OWNERS, smtp),
    }
    for step in steps:
        try:
            work[step]()
        except OSError as error:
            return Failed(step, error)
    return None


@pytest.fixture
def story(tmp_path: Path, smtp: SmtpSettings, box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Story]:
    drawn_once(monkeypatch)
    with in_memory(tmp_path) as folder:
        template, whole = folder / "template", folder / "whole"
        publish_day(template, day(1), {name: (dossier(name, day(1)), [exposed()]) for name in CLUSTERS})
        first(template)
        assert mail_letter(template, DS, CLUSTER, OWNERS, smtp).sent == OWNERS
        shutil.copytree(template, whole)
        assert second(whole, smtp) is None
        assert [one["Subject"].startswith("Revised: ") for _owner, one in box.received] == [False] * 2 + [True] * 2
        yield Story(template, whole, smtp, box)


def as_readers_find_it(home: Path) -> dict[str, list[Any]]:
    """By step, each thing that turns by itself: fact tables; signatures, findings; letters."""
    states, findings, page = judged(home)
    rows = counted(home)
    return {
        "facts": [rows[table] for table in TABLES],
        "judge": [states, (findings, page)],
        "report": [published(home, "reports", DS)],
    }


def unharmed(story: Story, home: Path, failed: Failed, number: int) -> None:
    """Whether what is there after a failure is old or new, and whole, and who has which mail."""
    old, new = as_readers_find_it(story.template), as_readers_find_it(story.whole)
    found = as_readers_find_it(home)
    for step in found:
        for part, was, will_be in zip(found[step], old[step], new[step], strict=True):
            place = STEPS.index(step) - STEPS.index(failed.step)
            allowed = [will_be] if place < 0 else [was] if place > 0 else [was, will_be]
            assert part in allowed, (number, failed, step)
    for name, content in copies(home).items():
        assert content in (copies(story.template)[name], copies(story.whole)[name]), (number, failed, name)
    earlier = {path: content for path, content in tree(story.template).items() if f"ds={day(1)}" in path}
    assert earlier
    assert earlier.items() <= tree(home).items(), "the day before"
    assert on_their_way(home) == []
    mails = Outbox(home, DS, CLUSTER, LEASE).read()
    assert [one.state for one in mails[0].recipients.values()] == ["sent"] * 2, "who has the first letter has it"
    if failed.step != "mail":
        assert (home / OUTBOX).read_bytes() == (story.template / OUTBOX).read_bytes()
        assert len(story.box.received) == 0


def healed(story: Story, home: Path, failed: Failed, at_most: int = 2) -> None:
    """The step is tried again, as Airflow does, and those after it: the bytes of a run that nothing happened to."""
    age_outbox(home / OUTBOX, 11)
    assert second(home, story.smtp, STEPS[STEPS.index(failed.step) :]) is None
    found, wanted = ({p: c for p, c in tree(one).items() if p != OUTBOX} for one in (home, story.whole))
    assert found == wanted
    last = Outbox(home, DS, CLUSTER, LEASE).read()[-1]
    assert {one.state for one in last.recipients.values()} == {"sent"}
    got = [owner for owner, message in story.box.received if message["Message-ID"] == last.message_id]
    assert sorted(set(got)) == sorted(OWNERS)
    assert len(story.box.received) == len(got) <= at_most


@pytest.mark.sampled("power-cuts")
def test_a_full_disk(story: Story, tmp_path: Path) -> None:
    hit = set()
    with disk(tmp_path / "disk") as place:
        for kib in range(0, 4000, 4 if EVERY else 12):  # a page of memory is 4 KiB
            story.box.received.clear()
            home = shutil.copytree(story.template, place / "home")
            with full(place, kib):
                failed = second(home, story.smtp)
            if failed is None:
                break
            hit.add(failed.step)
            assert failed.error.errno == FULL, failed
            assert os.strerror(FULL) in str(failed.error)
            unharmed(story, home, failed, kib)
            healed(story, home, failed)
            shutil.rmtree(home)
        print(f"enough with {kib} KiB")
    assert failed is None
    assert hit == set(STEPS) if ROOT else hit >= {"facts", "mail"}


@pytest.mark.sampled("power-cuts")
def test_an_fsync_that_fails(story: Story, tmp_path: Path) -> None:
    hit = set()
    for number in numbers(5):
        story.box.received.clear()
        home = shutil.copytree(story.template, story.template.parent / "home")
        with fails_at(number) as paths:
            failed = second(home, story.smtp)
        if failed is None:
            assert not paths
            break
        hit.add(failed.step)
        assert failed.error.errno == errno.EIO, failed
        unharmed(story, home, failed, number)
        # only the answer of a mail that cannot be noted is lost: that owner has it twice, with one Message-ID
        healed(story, home, failed, 3 if failed.step == "mail" else 2)
        shutil.rmtree(home)
    assert hit == set(STEPS)


@pytest.fixture
def fleet(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options of `kafka-fleet` for both clusters, of which one has an owner more than those who have its letter."""
    owners = dict(zip(CLUSTERS, (["archive@example.org"], [*OWNERS, "third@example.org"]), strict=True))
    both = zip(CLUSTERS, entries("follower331", "follower332"), strict=True)
    clusters = [{**one, "id": name, "owners": owners[name]} for name, one in both]
    (tmp_path / "fleet.yaml").write_text(yaml.safe_dump({"version": 1, "clusters": clusters}))
    server = {"host": story.smtp.host, "port": story.smtp.port, "from_email": story.smtp.from_email}
    monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps({**server, "disable_ssl": True, "disable_tls": True}))
    return ["--fleet", str(tmp_path / "fleet.yaml"), "--date", DS]


def test_a_disk_that_fails_for_one_cluster_holds_no_others_mail_back(
    story: Story, fleet: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    story.box.received.clear()
    home = shutil.copytree(story.template, story.template.parent / "home")
    unlucky = CLUSTERS[0]
    with fails_at(1) as paths:
        assert main(["mail", *fleet, "--home", str(home)]) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert paths
    assert unlucky in paths[0]
    assert told.startswith(f"{unlucky}: ")
    assert os.strerror(errno.EIO) in told
    assert story.box.recipients == ["third@example.org"]

    assert main(["mail", *fleet, "--home", str(home)]) == 0
    assert story.box.recipients == ["third@example.org", "archive@example.org"]


def test_a_disk_that_is_read_only(
    story: Story, fleet: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with disk(tmp_path / "disk") as place:
        for step in STEPS:
            story.box.received.clear()
            home = shutil.copytree(story.template, place / "home")
            assert second(home, story.smtp, STEPS[: STEPS.index(step)]) is None
            before = tree(home)
            with read_only(place):
                failed = second(home, story.smtp, [step])
                if step in ("report", "mail"):
                    capsys.readouterr()
                    assert main([step, *fleet, "--home", str(home)]) == 1
                    told = capsys.readouterr().err.splitlines()
                    assert len(told) == (1 if step == "report" else len(CLUSTERS))
                    assert all(os.strerror(READ_ONLY) in line for line in told)
            assert failed is not None
            assert (failed.step, failed.error.errno) == (step, READ_ONLY)
            assert tree(home) == before
            healed(story, home, failed)
            shutil.rmtree(home)
