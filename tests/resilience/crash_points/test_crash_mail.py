"""Mail under kill -9 at every write and at every step of the mail server: nobody without, twice in one window only."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from support.failures.crashes import enough, in_memory, numbers, on_their_way, unlocked
from support.failures.mail_runs import THINGS, Runs, Server, served, write_templates

pytestmark = pytest.mark.fault(52)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with in_memory(tmp_path_factory.mktemp("mail")) as folder:
        write_templates(folder / "templates")
        yield folder


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Server, object]]:
    with served() as made:
        yield made


def day(place: Path, server, digest: bool) -> Runs:
    """A new home in which a letter was mailed, and a revised one is published and due."""
    home = place / "home"
    rmtree(home, ignore_errors=True)
    box, smtp = server
    box.received.clear()
    box.expect(None)
    runs = Runs(home, place / "templates", box, smtp, digest)
    runs.judge("one")
    assert runs.try_mail(None) is None
    runs.judge("both")
    assert [one.recipient for one in box.accepted()] == list(runs.owners)
    return runs


def healed(runs: Runs, before: int) -> Counter[str]:
    """The task is tried again until nothing is due; gives how often each owner was sent the revised letter."""
    runs.server.expect(None)
    for _try in range(2):
        runs.wait(11)
        assert runs.try_mail(None) is None
    mails = runs.mails()
    assert len(mails) == 2
    assert {one.state for one in mails[-1].recipients.values()} == {"sent"}
    assert on_their_way(runs.home) == []
    assert unlocked(runs.home)
    later = runs.server.accepted()[before:]
    assert {one.message_id for one in later} == {mails[-1].message_id}
    assert all(one.revised for one in later)
    return Counter(one.recipient for one in later)


@pytest.mark.sampled("crash-mail")
@pytest.mark.parametrize("digest", [False, True], ids=["letter", "digest"])
def test_killed_at_every_write_each_owner_gets_it_once_or_in_the_window_twice(place, server, digest):
    runs = day(place, server, digest)
    before = len(runs.owners)
    template = copytree(runs.home, place / "template")
    points, twice = set(), 0
    try:
        for at in numbers(8):
            rmtree(runs.home)
            copytree(template, runs.home)
            del runs.server.received[before:]
            write = runs.try_mail(None, at)
            if write is None:
                break
            points.add((write, len(runs.mails()), len(runs.server.received)))
            unrecorded = sum(
                runs.mails()[-1].recipients[one.recipient].state != "sent" for one in runs.server.accepted()[before:]
            )
            got = healed(runs, before)
            assert got.keys() == set(runs.owners), write
            assert got.total() == len(runs.owners) + unrecorded, write
            twice += unrecorded
    finally:
        rmtree(template)
    assert twice <= 6 * len(runs.owners), "the window is from the answer to the rename of the outbox, no longer"
    print(f"{twice} of them in the window")
    enough(points, 3, 20)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize(("digest", "number"), [(False, 2), (True, 1)])
def test_whatever_the_server_does_each_owner_gets_it(place, server, thing, digest, number):
    runs = day(place, server, digest)
    runs.server.expect(thing, number)
    ended = runs.try_mail(None)
    assert (ended is not None) == thing.startswith("kill")
    got = healed(runs, len(runs.owners))
    window = thing.endswith(", kept")
    assert got == Counter({one: 1 + (window and place == number) for place, one in enumerate(runs.owners, start=1)})


def test_two_lost_answers_are_told_and_end_the_tries(place, server):
    runs = day(place, server, True)
    for _try in range(3):
        runs.server.expect("kill, not kept")
        runs.try_mail(None)
        runs.wait(11)
    (one,) = runs.mails()[-1].recipients.values()
    assert (one.state, one.claims) == ("uncertain", 2)
    assert one.reason == "two complete mails got no answer; not sent again"


def test_kills_before_the_mail_is_complete_never_use_up_the_tries(place, server):
    runs = day(place, server, False)
    for number in (1, 1, 2, 1, 1):  # of those whom the try offers it to
        runs.server.expect("kill at RCPT", number)
        runs.try_mail(None)
        runs.wait(11)
    assert healed(runs, 2) == Counter(dict.fromkeys(runs.owners, 1))
