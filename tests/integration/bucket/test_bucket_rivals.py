"""Rivals in a bucket: a generation each, one way forward, no lost change, one who claims a recipient."""

import itertools
import json
from datetime import timedelta

import pytest

from kafka_fleet.documents.outbox import Mail, Recipient
from kafka_fleet.mail.outbox import Outbox, OutboxError
from kafka_fleet.store.files import list_names, replace_file, update_file
from kafka_fleet.store.generations import Overtaken, claim_generation, current_generation, publish
from kafka_fleet.store.home_names import POINTER
from support.builders.sweep_tables import AT, DS
from support.homes.bucket_home import RIVALS, next_home, rivals


@pytest.fixture
def home(bucket_server):
    return next_home()


def test_no_two_runs_of_a_day_have_the_same_generation(home):
    found = rivals(lambda number: [claim_generation(home, DS) for _ in range(3)])
    assert sorted(itertools.chain(*found)) == [f"g{n:04d}" for n in range(1, 3 * RIVALS + 1)]
    assert claim_generation(home, "2026-11-21") == "g0001"


@pytest.mark.fault(45)
def test_an_older_generation_does_not_overwrite_a_newer_one(home):
    folder = home / f"findings/ds={DS}"
    assert current_generation(folder) is None
    for generation in ("g0001", "g0003", "g0003"):
        publish(folder, generation)
    with pytest.raises(Overtaken, match="g0003 is published, g0002 is older"):
        publish(folder, "g0002")
    assert current_generation(folder) == "g0003"
    (folder / POINTER).write_bytes(b"[]")
    with pytest.raises(ValueError, match="names no generation"):
        publish(folder, "g0004")


@pytest.mark.fault(44, 45)
def test_of_rivals_the_latest_generation_stays_published(home):
    folder = home / f"findings/ds={DS}"
    found = rivals(lambda number: publish(folder, f"g{number + 1:04d}"))
    assert current_generation(folder) == f"g{RIVALS:04d}"
    assert all(one is None or isinstance(one, Overtaken) for one in found)


def test_no_change_of_rivals_is_lost(home):
    def add_one(found):
        return str(int(found or 0) + 1).encode()

    assert rivals(lambda number: [update_file(home / "n", add_one, home) for _ in range(3)]) == [[None] * 3] * RIVALS
    assert (home / "n").read_bytes() == str(3 * RIVALS).encode()


def test_a_change_that_fails_leaves_the_file(home):
    replace_file(home / "kept", b"1")
    with pytest.raises(ZeroDivisionError):
        update_file(home / "kept", lambda found: b"%d" % (1 // 0), home)
    assert (home / "kept").read_bytes() == b"1"


def test_one_of_rivals_claims_a_recipient(home):
    address, now = "a@example.org", AT
    mail = Mail("d", "f", "<1@example.org>", "date", "sender", "subject", "", "", recipients={address: Recipient()})
    boxes = [Outbox(home, DS, "payments-eu", timedelta(minutes=10)) for _ in range(RIVALS)]
    boxes[0].change(lambda mails: mails.append(mail))
    won = [one for one in rivals(lambda number: boxes[number].claim(mail, address, now)) if one is not None]
    assert [(one.state, one.claims) for one in won] == [("claimed", 0)]
    assert boxes[0].offer(mail, address, won[0])
    boxes[0].settle(mail, address, won[0], "sent", "", now)
    assert boxes[1].claim(mail, address, now + timedelta(days=1)) is None
    assert boxes[1].read()[0].recipients[address].state == "sent"
    assert list_names(home / f"outbox/ds={DS}") == ["payments-eu.json"]
    (home / f"outbox/ds={DS}/payments-eu.json").write_bytes(b"{")
    with pytest.raises(OutboxError, match="nothing is sent"):
        boxes[0].claim(mail, address, now)


def test_the_outbox_is_readable_json(home):
    box = Outbox(home, DS, "payments-eu", timedelta(minutes=10))
    box.change(lambda mails: None)
    assert json.loads(box.path.read_bytes()) == {
        "schema_version": 1,
        "ds": DS,
        "cluster": "payments-eu",
        "mails": [],
    }
