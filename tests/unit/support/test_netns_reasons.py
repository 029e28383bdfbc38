"""The storm between network namespaces where it cannot run: it says why in one sentence, and touches nothing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.live import exporter, netns
from support.live.packages import said


def refused(*_arguments: object, **_named: object) -> None:
    raise AssertionError("no program may be started")


@pytest.mark.parametrize(
    ("user", "found", "reason"),
    [
        (1000, "/sbin/ip", "network namespaces need root"),
        (0, None, "network namespaces need the program ip (iproute2)"),
    ],
)
def test_without_root_or_iproute2_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], user: int, found: str | None,
    reason: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(shutil, "which", lambda name: found if user == 0 else None)
    monkeypatch.setattr(subprocess, "run", refused)
    netns.run(tmp_path)
    assert netns.outcome(tmp_path) == reason
    assert reason in capsys.readouterr().out


def test_without_node_exporter_the_reason_is_that_of_the_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    removed: list[list[str]] = []
    monkeypatch.setattr(netns, "_unable", lambda server, client: None)
    monkeypatch.setattr(netns, "exporter", lambda: "node_exporter could not be fetched: no network")
    monkeypatch.setattr(shutil, "which", lambda name: f"/sbin/{name}")
    monkeypatch.setattr(subprocess, "run", lambda command, **_named: removed.append(command))
    netns.run(tmp_path)
    assert netns.outcome(tmp_path) == "node_exporter could not be fetched: no network"
    assert "did not run: node_exporter could not be fetched" in capsys.readouterr().out
    assert [command[:3] for command in removed] == [["ip", "netns", "del"]] * 2  # whatever was made is gone


def test_no_apt_get_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(exporter, "default_root", lambda: tmp_path / "kafka")
    assert exporter.exporter() == "node_exporter is not installed, and there is no apt-get to fetch it with"
    assert list(tmp_path.iterdir()) == []


def test_a_command_says_why_it_failed() -> None:
    assert said(["true"], 5) is None
    assert said(["sh", "-c", "echo one; echo two >&2; exit 3"], 5) == "two"
    assert said(["sh", "-c", "exit 3"], 5) == "exit code 3"
    assert said(["sleep", "5"], 0.2) == "sleep did not end within 0.2 s"
