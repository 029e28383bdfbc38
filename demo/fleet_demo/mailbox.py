"""A mailbox on this machine: an SMTP server on loopback that puts every mail it takes into a Maildir."""

import mailbox
from pathlib import Path
from types import TracebackType

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Mailbox as MaildirHandler

from fleet_demo.processes import LOOPBACK, free_port


class Mailbox:
    """Serves while the block lasts; the mails stay in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._server = Controller(MaildirHandler(folder), hostname=LOOPBACK, port=self.port)

    def __enter__(self) -> "Mailbox":
        self._server.start()
        return self

    def __exit__(self, _t: type[BaseException] | None, _v: BaseException | None, _tb: TracebackType | None) -> None:
        self._server.stop()

    def count(self) -> int:
        """Number of mails delivered."""
        return len(mailbox.Maildir(str(self.folder), create=False))
