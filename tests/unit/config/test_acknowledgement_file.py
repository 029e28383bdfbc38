"""The file of acknowledgements on the disk: mode and owner stay, no link is followed, no pipe is waited for."""

import os
import stat
import time
from pathlib import Path

import pytest

from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config.acknowledgement_edits import add_acknowledgement, remove_acknowledgement
from kafka_fleet.config.acknowledgements import load_acknowledgements
from support.builders.acknowledged import entry


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "acknowledgements.yaml"


@pytest.mark.fault(76)
def test_mode_and_owner_stay_as_they_were(path, tmp_path):
    add_acknowledgement(path, entry())
    assert stat.S_IMODE(path.stat().st_mode) == 0o644 & ~umask()
    path.chmod(0o600)
    if os.getuid() == 0:
        os.chown(path, 12_345, 23_456)
    was, before = path.stat(), path.read_bytes()
    os.link(path, tmp_path / "as it was")
    add_acknowledgement(path, entry(cluster="other"))
    remove_acknowledgement(path, "other", "KAFKA-14334")
    now = path.stat()
    assert (tmp_path / "as it was").read_bytes() == before, "it was replaced, and not written in place"
    assert (now.st_mode, now.st_uid, now.st_gid) == (was.st_mode, was.st_uid, was.st_gid)


def umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def test_an_owner_that_cannot_be_kept_is_a_sentence(path, monkeypatch):
    add_acknowledgement(path, entry())
    before = path.read_bytes()

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    was, real = path.stat(), os.fstat
    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(os, "fstat", lambda opened: of_another(real(opened), was.st_ino))
    with pytest.raises(FleetFileError, match=r"is not written: it belongs to user 54321 .* write it as that user"):
        add_acknowledgement(path, entry(cluster="other"))
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name], "nothing is left on its way"


def of_another(found, number):
    return os.stat_result([*found[:4], 54_321, *found[5:]]) if found.st_ino == number else found


@pytest.mark.fault(76)
def test_a_link_is_not_written_through_and_not_replaced(path, tmp_path):
    target = tmp_path / "checkout" / path.name
    target.parent.mkdir()
    add_acknowledgement(target, entry())
    before = target.read_bytes()
    path.symlink_to(target)
    assert load_acknowledgements(path).entries == [entry()], "it may be read through a link"
    for change in (
        lambda: add_acknowledgement(path, entry(cluster="other")),
        lambda: remove_acknowledgement(path, "payments-eu", "KAFKA-14334"),
    ):
        with pytest.raises(FleetFileError, match="is not written: it is a link; put the file itself beside the fleet"):
            change()
    assert path.is_symlink()
    assert target.read_bytes() == before
    target.unlink()
    with pytest.raises(FleetFileError, match="it is a link"):
        add_acknowledgement(path, entry())
    assert not target.exists()
    assert "is no file" in load_acknowledgements(path).faults[0][1]


@pytest.mark.fault(76)
def test_a_pipe_is_not_waited_for(path):
    os.mkfifo(path)
    began = time.monotonic()
    assert load_acknowledgements(path).faults == [(None, f"{path.name}: is no file")]
    with pytest.raises(FleetFileError, match="is not written: it is no file"):
        add_acknowledgement(path, entry())
    assert time.monotonic() - began < 30


@pytest.mark.fault(76)
def test_the_file_on_its_way_follows_no_link_and_what_killed_writers_left_goes(path, tmp_path):
    victim = tmp_path / "airflow.cfg"
    victim.write_text("[core]\n")
    for name in (f".{path.name}.tmp", f".{path.name}.0123456789abcdef.tmp"):
        (tmp_path / name).symlink_to(victim)
    add_acknowledgement(path, entry())
    assert victim.read_text() == "[core]\n"
    assert not path.is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([path.name, victim.name])
