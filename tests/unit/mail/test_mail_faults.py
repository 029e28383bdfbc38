"""Lost answers, silence and a killed process: what is known not to be sent is due, the rest is tried once more."""

import os
import signal
import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest

from support.builders.sent_letters import NOON, OWNER, SECOND, send, states
from support.servers.mail_server import Mailbox, mail_server, plain


class Script(threading.Thread):
    """A server that says the given lines, one per command, and then stays silent or hangs up."""

    def __init__(self, lines, then="hang"):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.lines, self.then = self.listener.getsockname()[1], lines, then
        self.over = threading.Event()
        self.start()

    def run(self):
        connection, _address = self.listener.accept()
        with connection, connection.makefile("rb") as file:
            for number, line in enumerate(self.lines):
                connection.sendall(line + b"\r\n")
                body = line.startswith(b"354")
                if number < len(self.lines) - 1 or body:
                    while (got := file.readline()) and body and got != b".\r\n":
                        pass
            if self.then == "hang":
                self.over.wait(30)

    def close(self):
        self.over.set()
        self.listener.close()
        self.join(30)


@pytest.fixture
def script():
    made = []
    yield lambda *lines, then="hang": made.append(Script(lines, then)) or made[-1]
    for server in made:
        server.close()


READY, OK, GO = b"220 ready", b"250 OK", b"354 go"


@pytest.mark.fault(51, 52)
@pytest.mark.parametrize("lines", [(), (READY,), (READY, OK), (READY, OK, OK), (READY, OK, OK, OK)])
@pytest.mark.parametrize("then", ["hang", "close"])
def test_silence_before_the_body_means_not_sent(tmp_path, script, lines, then):
    before = datetime.now(UTC)
    result = send(tmp_path, plain(script(*lines, then=then).port, timeout=0.3))
    assert datetime.now(UTC) - before < timedelta(seconds=5)
    assert result.retryable
    assert states(tmp_path) == {OWNER: "due"}


@pytest.mark.fault(51, 52)
@pytest.mark.parametrize("then", ["hang", "close"])
def test_silence_after_the_body_is_tried_once_more_after_the_lease_with_the_same_id(tmp_path, script, box, smtp, then):
    def lost():
        return plain(script(READY, OK, OK, OK, GO, then=then).port, timeout=3)

    first = send(tmp_path, lost())
    assert first.retryable
    assert states(tmp_path) == {OWNER: "claimed"}
    within = send(tmp_path, smtp, clock=lambda: NOON + timedelta(minutes=9))
    assert within.deferred
    assert box.received == []
    after = send(tmp_path, smtp, clock=lambda: NOON + timedelta(minutes=11))
    assert after.sent == [OWNER]
    assert box.received[0][1]["Message-ID"] == first.message_id
    assert box.received[0][1]["Date"].datetime == NOON


def test_a_try_whose_claim_was_taken_over_ends_before_the_last_line_of_its_mail(tmp_path, box, smtp):
    class Slow(Mailbox):
        async def handle_RCPT(self, *arguments):
            assert send(tmp_path, smtp, clock=lambda: NOON + timedelta(hours=1)).sent == [OWNER]
            return await super().handle_RCPT(*arguments)

    slow = Slow()
    with mail_server(slow) as port:
        result = send(tmp_path, plain(port))
    assert (result.sent, result.already) == ([], [OWNER])
    assert (slow.received, box.recipients) == ([], [OWNER])
    assert states(tmp_path) == {OWNER: "sent"}


@pytest.mark.fault(52)
def test_two_lost_answers_end_the_tries(tmp_path, script, box, smtp):
    for minutes in (0, 11):
        lost = plain(script(READY, OK, OK, OK, GO, then="close").port, timeout=20)
        send(tmp_path, lost, clock=lambda minutes=minutes: NOON + timedelta(minutes=minutes))
    for minutes in (22, 33):
        result = send(tmp_path, smtp, clock=lambda minutes=minutes: NOON + timedelta(minutes=minutes))
        assert list(result.uncertain) == [OWNER]
        assert not result.retryable
    assert box.received == []


@pytest.mark.fault(52)
def test_a_process_killed_between_claim_and_sent_resends_once_with_the_same_id(tmp_path, box, caplog):
    killed = []

    def kill(recipient):
        os.kill(killed[0].pid, signal.SIGKILL)
        return "250 kept"

    box.on_data = kill
    with mail_server(box) as port:
        code = (
            "import sys; from support.builders.sent_letters import *; from support.servers.mail_server import plain;"
            "sys.stdin.readline();"
            f"send({str(tmp_path)!r}, plain({port}), owners=[OWNER, SECOND])"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        killed.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, env=environment))
        killed[0].communicate(b"go\n", timeout=120)
        assert killed[0].returncode == -signal.SIGKILL
        assert states(tmp_path) == {OWNER: "claimed", SECOND: "due"}
        box.on_data = lambda recipient: "250 kept"
        assert send(tmp_path, plain(port), owners=[OWNER, SECOND]).sent == [SECOND]
        later = {"clock": lambda: NOON + timedelta(minutes=11), "owners": [OWNER, SECOND]}
        assert send(tmp_path, plain(port), **later).sent == [OWNER]
        assert send(tmp_path, plain(port), **later).already == [OWNER, SECOND]
    assert box.recipients == [OWNER, SECOND, OWNER]
    assert len({message["Message-ID"] for _recipient, message in box.received}) == 1
    assert "is not known; sent again" in caplog.text
